#include "core/stats_step.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

#define MIN_POSITIONS 3u
#define MIN_BLOCKS 6u
#define EXACT_BLOCKS 13u
#define RANDOM_PATTERNS 4095u
#define SET_LEVEL 0.01 /* the 99 % set of splits */

/* Mean of the values that are there; NAN when there is none. */
static double mean_of(const double *row, size_t first, size_t end)
{
	double sum = 0.0;
	size_t n = 0;

	for (size_t g = first; g < end; g++) {
		if (isnan(row[g]))
			continue;
		sum += row[g];
		n++;
	}
	return n ? sum / (double)n : (double)NAN;
}

void pl_stats_step_contrast(const double *values, size_t blocks, size_t positions, size_t low,
			    size_t high, double *out)
{
	for (size_t b = 0; b < blocks; b++) {
		const double *row = values + b * positions;

		out[b] = mean_of(row, high, positions) - mean_of(row, 0, low);
	}
}

/* A set of weighted contrasts of every round: contrast[b * count + j]. */
struct contrasts {
	double *values;
	size_t blocks, count;
};

/* Appends the splits inside positions first … end - 1, column by column from `column` on. */
static size_t add_splits(struct contrasts *c, const double *rows, size_t positions, size_t first,
			 size_t end, size_t column)
{
	double length = (double)(end - first);

	for (size_t b = 0; b < c->blocks; b++) {
		const double *row = rows + b * positions;
		double total = 0.0, below = 0.0;

		for (size_t g = first; g < end; g++)
			total += row[g];
		for (size_t k = first + 1; k < end; k++) {
			double n = (double)(k - first), weight = sqrt(n * (length - n) / length);

			below += row[k - 1];
			c->values[b * c->count + column + k - first - 1] =
				weight * ((total - below) / (length - n) - below / n);
		}
	}
	return column + (end > first ? end - first - 1 : 0);
}

static double largest(const double *sums, size_t count, size_t *where)
{
	double most = -1.0;

	for (size_t j = 0; j < count; j++) {
		if (fabs(sums[j]) <= most)
			continue;
		most = fabs(sums[j]);
		if (where)
			*where = j;
	}
	return most;
}

static void add_row(const struct contrasts *c, double *sums, size_t b, double factor)
{
	const double *row = c->values + b * c->count;

	for (size_t j = 0; j < c->count; j++)
		sums[j] += factor * row[j];
}

/* All patterns that keep the sign of the last round, in Gray code order: one turns at a time. */
static double exact_p(const struct contrasts *c, double *sums, double observed)
{
	size_t patterns = (size_t)1 << (c->blocks - 1), reached = 1;
	double sign[EXACT_BLOCKS];

	for (size_t b = 0; b < c->blocks; b++)
		sign[b] = 1.0;
	for (size_t i = 1; i < patterns; i++) {
		size_t b = (size_t)__builtin_ctzll(i);

		sign[b] = -sign[b];
		add_row(c, sums, b, 2.0 * sign[b]);
		/* Sums carry rounding: a pattern equal to the observed one counts as reached. */
		reached += largest(sums, c->count, NULL) >= observed * (1.0 - 1e-9);
	}
	return (double)reached / (double)patterns;
}

static double random_p(const struct contrasts *c, double *sums, double observed, uint64_t seed)
{
	size_t reached = 1;
	struct pl_rng rng;

	pl_rng_init(&rng, seed);
	for (size_t i = 0; i < RANDOM_PATTERNS; i++) {
		uint64_t bits = 0;

		memset(sums, 0, c->count * sizeof(*sums));
		for (size_t b = 0; b < c->blocks; b++) {
			if (b % 64 == 0)
				bits = pl_rng_u64(&rng);
			add_row(c, sums, b, (bits >> (b % 64)) & 1 ? 1.0 : -1.0);
		}
		reached += largest(sums, c->count, NULL) >= observed;
	}
	return (double)reached / (double)(RANDOM_PATTERNS + 1);
}

/* p-value of the largest contrast; *where is its column. */
static double flip_p(const struct contrasts *c, size_t *where, uint64_t seed)
{
	double *sums = calloc(c->count, sizeof(*sums));
	double observed, p;

	if (!sums)
		abort();
	for (size_t b = 0; b < c->blocks; b++)
		add_row(c, sums, b, 1.0);
	observed = largest(sums, c->count, where);
	p = observed <= 0.0             ? 1.0
	    : c->blocks <= EXACT_BLOCKS ? exact_p(c, sums, observed)
					: random_p(c, sums, observed, seed);
	free(sums);
	return p;
}

struct curve {
	double *rows; /* whole rounds only */
	double *mean;
	size_t blocks, positions;
	double level;
	uint64_t seed;
};

/* p-value of "nothing more happens": both sides of the split are flat. */
static double rest_p(const struct curve *curve, size_t split)
{
	struct contrasts c = {NULL, curve->blocks, curve->positions - 2};
	size_t column, where;
	double p;

	c.values = calloc(c.blocks * c.count, sizeof(*c.values));
	if (!c.values)
		abort();
	column = add_splits(&c, curve->rows, curve->positions, 0, split, 0);
	add_splits(&c, curve->rows, curve->positions, split, curve->positions, column);
	p = flip_p(&c, &where, curve->seed);
	free(c.values);
	return p;
}

static double whole_p(const struct curve *curve, size_t *split)
{
	struct contrasts c = {NULL, curve->blocks, curve->positions - 1};
	size_t where = 0;
	double p;

	c.values = calloc(c.blocks * c.count, sizeof(*c.values));
	if (!c.values)
		abort();
	add_splits(&c, curve->rows, curve->positions, 0, curve->positions, 0);
	p = flip_p(&c, &where, curve->seed);
	*split = where + 1;
	free(c.values);
	return p;
}

/* Sum of squares of mean[first … end) about its own mean. */
static double squares(const double *mean, size_t first, size_t end)
{
	double sum = 0.0, square = 0.0;

	for (size_t g = first; g < end; g++)
		sum += mean[g];
	for (size_t g = first; g < end; g++) {
		double d = mean[g] - sum / (double)(end - first);

		square += d * d;
	}
	return square;
}

static double slope_squares(const double *mean, size_t count)
{
	double centre = 0.5 * (double)(count - 1), sum = 0.0, xy = 0.0, xx = 0.0;

	for (size_t g = 0; g < count; g++)
		sum += mean[g];
	for (size_t g = 0; g < count; g++) {
		double x = (double)g - centre;

		xy += x * (mean[g] - sum / (double)count);
		xx += x * x;
	}
	return squares(mean, 0, count) - xy * xy / xx;
}

static double two_step_squares(const struct curve *c, size_t *first, size_t *second)
{
	double least = HUGE_VAL;

	for (size_t i = 1; i + 1 < c->positions; i++)
		for (size_t k = i + 1; k < c->positions; k++) {
			double s = squares(c->mean, 0, i) + squares(c->mean, i, k) +
				   squares(c->mean, k, c->positions);

			if (s >= least)
				continue;
			least = s;
			*first = i;
			*second = k;
		}
	return least;
}

/* One step does not explain the curve: two of them, or a slope? */
static void name_shape(const struct curve *c, struct pl_step *step)
{
	size_t first = 0, second = 0;
	double two = two_step_squares(c, &first, &second);

	/* Two steps have five numbers to fit with, a line has two. */
	if (slope_squares(c->mean, c->positions) <=
	    two * (double)(c->positions - 2) / fmax(1.0, (double)c->positions - 5.0)) {
		step->shape = PL_SHAPE_SLOPE;
		return;
	}
	step->shape = PL_SHAPE_TWO_STEPS;
	step->split = first;
	step->second = second;
}

static void judge(const struct curve *c, struct pl_step *step)
{
	step->p = whole_p(c, &step->split);
	step->low = 1;
	step->high = c->positions - 1;
	if (step->p > c->level)
		return;
	step->shape = PL_SHAPE_STEP;
	step->low = step->high = step->split;
	for (size_t k = 1; k < c->positions; k++) {
		if (k == step->split || rest_p(c, k) <= SET_LEVEL)
			continue;
		step->low = k < step->low ? k : step->low;
		step->high = k > step->high ? k : step->high;
	}
	if (step->low == step->high && rest_p(c, step->split) <= c->level)
		name_shape(c, step);
}

static void keep_whole_rounds(struct curve *c, const double *values, size_t blocks)
{
	for (size_t b = 0; b < blocks; b++) {
		const double *row = values + b * c->positions;
		bool is_whole = true;

		for (size_t g = 0; g < c->positions; g++)
			is_whole &= !isnan(row[g]);
		if (!is_whole)
			continue;
		for (size_t g = 0; g < c->positions; g++)
			c->mean[g] += row[g];
		memcpy(c->rows + c->blocks++ * c->positions, row, c->positions * sizeof(*row));
	}
	for (size_t g = 0; g < c->positions && c->blocks; g++)
		c->mean[g] /= (double)c->blocks;
}

struct pl_step pl_stats_find_step(const double *values, size_t blocks, size_t positions,
				  double level, uint64_t seed)
{
	struct pl_step step = {PL_SHAPE_FLAT, 1.0, 0, 1, positions ? positions - 1 : 0, 0, 0};
	struct curve c = {.positions = positions, .level = level, .seed = seed};

	if (positions < MIN_POSITIONS || !blocks)
		return step;
	c.rows = calloc(blocks * positions, sizeof(*c.rows));
	c.mean = calloc(positions, sizeof(*c.mean));
	if (!c.rows || !c.mean)
		abort();
	keep_whole_rounds(&c, values, blocks);
	step.blocks = c.blocks;
	if (c.blocks >= MIN_BLOCKS)
		judge(&c, &step);
	free(c.rows);
	free(c.mean);
	return step;
}
