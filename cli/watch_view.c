#include "cli/watch_view.h"

#include <math.h>

#include "core/fmt.h"

#define SPARK_POINTS 24u
#define LARGEST 5u
#define LATEST ((size_t)5)

static const char *ns(char text[32], double value)
{
	return pl_fmt_ns(text, 32, value);
}

/* The slowest read of each of the last windows, on a logarithmic scale from the median up. */
static void spark(const struct pl_watch *watch, const struct pl_text_style *style, FILE *out)
{
	static const char *const utf8[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const ascii[] = {".", ".", ":", ":", "|", "|", "#", "#"};
	const char *const *marks = style->utf8 ? utf8 : ascii;
	size_t first = watch->point_count > SPARK_POINTS ? watch->point_count - SPARK_POINTS : 0;
	double base = (double)pl_hist_quantile_ns(&watch->hist, 0.5);

	for (size_t i = first; i < watch->point_count; i++) {
		double octaves = base > 0.0 ? log2(watch->points[i].max_ns / base) : 0.0;
		int level = octaves > 0.0 ? (int)octaves : 0;

		fputs(watch->points[i].n ? marks[level > 7 ? 7 : level] : " ", out);
	}
}

void pl_watch_view_line(const struct pl_watch *watch, const struct pl_text_style *style, FILE *out)
{
	const struct pl_watch_point *last =
		watch->point_count ? &watch->points[watch->point_count - 1] : NULL;
	char p50[32], p99[32], most[32];

	if (!last)
		return;
	fprintf(out, "%.0f s  %.0f/s  p50 %s  max %s  p99 so far %s  spikes %zu  ",
		watch->elapsed_s, (double)last->n / watch->window_s, ns(p50, last->p50_ns),
		ns(most, last->max_ns), ns(p99, pl_hist_carried_ns(&watch->hist, 0.99)),
		watch->spike_count + watch->spikes_dropped);
	spark(watch, style, out);
}

size_t pl_watch_view_live(const struct pl_watch *watch, const struct pl_text_style *style,
			  FILE *out)
{
	size_t count = watch->spike_count < LATEST ? watch->spike_count : LATEST;
	char text[32];

	pl_watch_view_line(watch, style, out);
	for (size_t i = 0; i < count; i++) {
		const struct pl_spike *spike = &watch->spikes[watch->spike_count - 1 - i];

		fprintf(out, "\n    %s at %.1f s", ns(text, spike->latency_ns), spike->t_s);
	}
	return count;
}

/* "s" but for one. */
static const char *plural(unsigned long long count)
{
	return count == 1 ? "" : "s";
}

static void print_largest(const struct pl_watch *watch, FILE *out)
{
	bool told[PL_WATCH_SPIKES] = {false};
	char text[32];

	for (size_t n = 0; n < LARGEST && n < watch->spike_count; n++) {
		size_t most = PL_WATCH_SPIKES;

		for (size_t i = 0; i < watch->spike_count; i++)
			if (!told[i] &&
			    (most == PL_WATCH_SPIKES ||
			     watch->spikes[i].latency_ns > watch->spikes[most].latency_ns))
				most = i;
		told[most] = true;
		fprintf(out, "    %s at %.1f s\n", ns(text, watch->spikes[most].latency_ns),
			watch->spikes[most].t_s);
	}
}

static void print_finds(const struct pl_watch *watch, FILE *out)
{
	const struct pl_period *period = &watch->period;
	const struct pl_gap_step *step = &watch->gap_step;
	char a[32], b[32], c[64];

	if (period->is_found)
		fprintf(out,
			"  regular stalls: about every %.1f s (most %.1f to %.1f s apart), median "
			"%s, %zu seen (p = %.3f)\n",
			period->median_s, period->low_s, period->high_s, ns(a, period->latency_ns),
			period->n, period->p_value);
	if (step->is_found)
		fprintf(out,
			"  follows idle time: a read after %s of idle or more takes %s (95 %% CI, "
			"%zu blocks) longer (after %s it does not yet; p = %.3f)\n",
			ns(a, (double)step->above_ns),
			pl_fmt_ns_pm(c, sizeof(c), step->step_ns,
				     (step->high_ns - step->low_ns) / 2.0),
			step->blocks, ns(b, (double)step->below_ns), step->p_value);
	if (period->why)
		fprintf(out, "  no regular stalls: %s\n", period->why);
	if (step->why)
		fprintf(out, "  no step after idle time: %s\n", step->why);
}

void pl_watch_view_summary(const struct pl_watch *watch, FILE *out)
{
	const struct pl_hist *hist = &watch->hist;
	const double none = (double)NAN;
	char a[32], b[32], c[32], d[32], e[32];
	size_t spikes = watch->spike_count + watch->spikes_dropped;

	fprintf(out, "  %llu read%s in %s: min %s, p50 %s, p99 %s, max %s\n",
		(unsigned long long)hist->n, plural(hist->n),
		pl_fmt_duration(e, sizeof(e), watch->elapsed_s),
		ns(a, hist->n ? (double)hist->min_ns : none), ns(b, pl_hist_carried_ns(hist, 0.5)),
		ns(c, pl_hist_carried_ns(hist, 0.99)),
		ns(d, hist->n ? (double)hist->max_ns : none));
	if (spikes)
		fprintf(out, "  %zu spike%s above %s, the largest:\n", spikes, plural(spikes),
			ns(a, watch->spike_threshold_ns));
	print_largest(watch, out);
	if (watch->late)
		fprintf(out,
			"  %zu tick%s left out: a read, a pause or a busy host took longer than "
			"the interval\n",
			watch->late, watch->late == 1 ? " was" : "s were");
	if (watch->host_waits > 0)
		fprintf(out,
			"  %lld slow read%s no spike%s: this program waited for a processor "
			"meanwhile\n",
			(long long)watch->host_waits, watch->host_waits == 1 ? " is" : "s are",
			plural((unsigned long long)watch->host_waits));
	if (watch->others > 0)
		fprintf(out,
			"  others did %lld read%s or write%s on this drive meanwhile: spikes may "
			"be "
			"theirs\n",
			(long long)watch->others, plural((unsigned long long)watch->others),
			plural((unsigned long long)watch->others));
	print_finds(watch, out);
	for (size_t i = 0; i < watch->outage_count; i++)
		if (watch->outages[i].to_s > 0.0)
			fprintf(out, "  gone from %.1f s to %.1f s\n", watch->outages[i].from_s,
				watch->outages[i].to_s);
		else
			fprintf(out, "  gone since %.1f s\n", watch->outages[i].from_s);
	if (watch->stopped)
		fprintf(out,
			"  this program was stopped during %zu read%s, which %s in no number "
			"above\n",
			watch->stopped, plural(watch->stopped), watch->stopped == 1 ? "is" : "are");
	if (watch->failed) {
		char text[256];

		fprintf(out, "  %zu read%s failed, %s in no number above; the last: %s\n",
			watch->failed, plural(watch->failed),
			watch->failed == 1 ? "which is" : "which are",
			pl_fmt_printable(text, sizeof(text), watch->failure));
	}
}

void pl_watch_view_hold(const struct pl_hold *hold, FILE *out)
{
	static const char *const steps[] = {
		[PL_HELD_NOT_RESOLVED] =
			"whether the step after idle time vanishes with the links held in L0 is "
			"not resolved",
		[PL_HELD_VANISHES] = "the step after idle time vanishes with the links held in L0: "
				     "it is link power management",
		[PL_HELD_STAYS] = "the step after idle time stays with the links held in L0: it "
				  "is not link power management",
	};
	static const char *const stalls[] = {
		[PL_HELD_NOT_RESOLVED] = "whether the regular stalls vanish with the links held "
					 "in L0 is not resolved",
		[PL_HELD_VANISHES] = "the regular stalls vanish with the links held in L0",
		[PL_HELD_STAYS] = "the regular stalls stay with the links held in L0",
	};
	const struct pl_interval *held = &hold->held_step;
	char text[64];

	if (hold->step && isnan(held->low))
		fprintf(out, "  %s\n", steps[hold->step]);
	else if (hold->step)
		fprintf(out, "  %s (%s there, 95 %% CI, %zu blocks)\n", steps[hold->step],
			pl_fmt_ns_pm(text, sizeof(text), held->estimate,
				     (held->high - held->low) / 2.0),
			held->n);
	if (hold->stalls)
		fprintf(out, "  %s (%zu seen there, %.1f expected)\n", stalls[hold->stalls],
			hold->stalls_seen, hold->stalls_expected);
}
