#ifndef PL_CORE_STATS_BRACKET_H
#define PL_CORE_STATS_BRACKET_H

#include "core/stats.h"

/*
 * Interval of a threshold of which only this is known: it was not reached at `low` and it was at
 * `high`, both read too small by the same unknown part of `slack`. All values in one unit.
 *
 * Nothing prefers a place between two measured ones, so every place is given the same weight per
 * decade (timers spread over decades, and so do the places where one looks), and every part of the
 * slack the same weight: a rectangular distribution each, as the GUM (JCGM 100:2008, 4.3.7) has it
 * where bounds are all that is known. The interval is the middle part (level, 0.95)
 * of their sum, the estimate its median. The bounds themselves would hold the threshold always;
 * what is cut off at each end is the price of naming a level and meaning it. low 0: every place
 * from 0 on alike.
 *
 * NAN where low > high or a value is negative or NAN; low, low and low where all three agree.
 */
struct pl_interval pl_stats_bracket(double low, double high, double slack, double level);

#endif
