/*
 * The figures of docs/method.md, made from the simulation: figures DIR writes
 *
 *   method-exit.svg      one board: latency over the idle gap, links off and L1, and the difference
 *   method-coverage.svg  how often a 95 % interval covers, over the number of blocks
 *   method-power.svg     how often an effect is found, over its size in printed detection limits
 *
 * The last line is one JSON object with the numbers that were drawn.
 */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "core/stats_infer.h"
#include "model/aspm.h"
#include "model/state.h"
#include "report/report.h"
#include "tests/sim/sim_score.h"

#define WIDTH 640.0
#define HEIGHT 320.0
#define LEFT 70.0
#define RIGHT 20.0
#define TOP 30.0
#define BOTTOM 50.0

/* One chart: data ranges and the file. */
struct chart {
	FILE *out;
	double x0, x1, y0, y1;
	bool is_log_x;
};

static double place_x(const struct chart *c, double x)
{
	double low = c->is_log_x ? log10(c->x0) : c->x0, high = c->is_log_x ? log10(c->x1) : c->x1;
	double at = c->is_log_x ? log10(x) : x;

	return LEFT + (at - low) / (high - low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct chart *c, double y)
{
	return HEIGHT - BOTTOM - (y - c->y0) / (c->y1 - c->y0) * (HEIGHT - TOP - BOTTOM);
}

static int open_chart(struct chart *c, const char *dir, const char *name, const char *title,
		      const char *x_text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	c->out = fopen(path, "w");
	if (!c->out) {
		fprintf(stderr, "figures: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	fprintf(c->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n<title>%s</title>\n"
		"<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n"
		"<text x=\"%.0f\" y=\"18\" font-weight=\"bold\">%s</text>\n"
		"<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n",
		WIDTH, HEIGHT, title, WIDTH, HEIGHT, LEFT, title, (LEFT + WIDTH - RIGHT) / 2.0,
		HEIGHT - 10.0, x_text);
	return 0;
}

static void x_tick(const struct chart *c, double x, const char *text)
{
	fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
		place_x(c, x), HEIGHT - BOTTOM + 16.0, text);
}

static void y_tick(const struct chart *c, double y, const char *text)
{
	fprintf(c->out,
		"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		LEFT, WIDTH - RIGHT, place_y(c, y), place_y(c, y), LEFT - 6.0, place_y(c, y) + 4.0,
		text);
}

static void draw_line(const struct chart *c, const double *x, const double *y, size_t n,
		      const char *color, const char *dash)
{
	fprintf(c->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s%s%s points=\"",
		color, *dash ? " stroke-dasharray=\"" : "", dash, *dash ? "\"" : "");
	for (size_t i = 0; i < n; i++)
		fprintf(c->out, "%.1f,%.1f ", place_x(c, x[i]), place_y(c, y[i]));
	fputs("\"/>\n", c->out);
}

static void legend(const struct chart *c, size_t row, const char *color, const char *text)
{
	double y = TOP + 14.0 + 16.0 * (double)row;

	fprintf(c->out,
		"<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.0f\" y2=\"%.0f\" stroke=\"%s\" "
		"stroke-width=\"2\"/>\n<text x=\"%.0f\" y=\"%.0f\">%s</text>\n",
		LEFT + 14.0, LEFT + 38.0, y - 4.0, y - 4.0, color, LEFT + 44.0, y, text);
}

static int close_chart(struct chart *c)
{
	fputs("</svg>\n", c->out);
	return fclose(c->out) ? -EIO : 0;
}

/* ---- one board ---- */

static void board_of_figure(struct sim_board *board, struct sim_truth *truth)
{
	pl_sim_board_init(board, 4);
	board->noise.shape = 0.05;
	board->noise.drift = 0.02;
	board->noise.stall_rate = 0.001;
	/* Gaps are slept on this board: the processor's own wake-up is in both curves. */
	board->cstate_ns[0] = 1500.0;
	board->cstate_ns[1] = 4000.0;
	*truth = (struct sim_truth){.state = "l1",
				    .device_state = "device_l1_uplink_off",
				    .bits = PL_ASPM_L1,
				    .device_entry_ns = 20e3,
				    .uplink_entry_ns = 20e3,
				    .device_exit_ns = 8e3};
	board->switch_delay_ns = 0.0;
	pl_sim_apply(board, truth);
}

static int draw_exit(const char *dir)
{
	struct chart c = {NULL, 1.0, 256.0, 0.0, 14.0, true};
	double gap[SIM_GAPS], off[SIM_GAPS], on[SIM_GAPS], difference[SIM_GAPS];
	struct sim_board board;
	struct sim_truth truth;
	struct pl_run run;

	board_of_figure(&board, &truth);
	pl_sim_run_init(&run, 4);
	for (size_t g = 1; g < SIM_GAPS; g++) {
		pl_sim_plan(&run, 1, PL_PROBE_BAR, "off", pl_sim_gaps_ns[g], 12, 50)
			->conditions.idle = "slept";
		pl_sim_plan(&run, 1, PL_PROBE_BAR, "l1", pl_sim_gaps_ns[g], 12, 50)
			->conditions.idle = "slept";
	}
	pl_sim_measure(&board, &run, 0, run.measurement_count);
	for (size_t g = 0; g + 1 < SIM_GAPS; g++) {
		gap[g] = (double)pl_sim_gaps_ns[g + 1] / 1e3;
		off[g] = run.measurements[2 * g]->summary.p50_ns / 1e3;
		on[g] = run.measurements[2 * g + 1]->summary.p50_ns / 1e3;
		difference[g] = on[g] - off[g];
	}
	pl_run_fini(&run);
	if (open_chart(
		    &c, dir, "method-exit.svg",
		    "Register read after an idle gap, µs (medians; 8 µs exit, 20 µs timer put in)",
		    "idle gap, µs"))
		return 1;
	y_tick(&c, 0.0, "0");
	y_tick(&c, 4.0, "4");
	y_tick(&c, 8.0, "8");
	y_tick(&c, 12.0, "12");
	x_tick(&c, 1.0, "1");
	x_tick(&c, 8.0, "8");
	x_tick(&c, 16.0, "16");
	x_tick(&c, 32.0, "32");
	x_tick(&c, 256.0, "256");
	draw_line(&c, gap, on, SIM_GAPS - 1, "#b2182b", "");
	draw_line(&c, gap, off, SIM_GAPS - 1, "#2166ac", "");
	draw_line(&c, gap, difference, SIM_GAPS - 1, "#111", "5 3");
	legend(&c, 0, "#b2182b", "L1 allowed: exit and processor");
	legend(&c, 1, "#2166ac", "links off: processor alone");
	legend(&c, 2, "#111", "difference (dashed): the exit");
	return close_chart(&c) ? 1 : 0;
}

/* ---- coverage over the number of blocks ---- */

static const size_t block_counts[] = {4, 6, 8, 12, 16, 24, 32};
#define COUNTS (sizeof(block_counts) / sizeof(block_counts[0]))
#define TRIALS 4000u
#define RESAMPLES 199u

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The plain percentile bootstrap: what the tool does not do. */
static bool percentile_covers(const double *values, size_t n, double truth, struct pl_rng *rng)
{
	double means[RESAMPLES];

	for (size_t r = 0; r < RESAMPLES; r++) {
		means[r] = 0.0;
		for (size_t i = 0; i < n; i++)
			means[r] += values[pl_rng_below(rng, n)] / (double)n;
	}
	qsort(means, RESAMPLES, sizeof(means[0]), compare);
	return means[4] <= truth && truth <= means[RESAMPLES - 5];
}

/* One block value: the median of 24 skewed samples, as a real block gives it. */
static double draw_block(struct pl_rng *rng)
{
	uint64_t samples[24];

	for (size_t i = 0; i < 24; i++)
		samples[i] = (uint64_t)(1e4 * exp(0.3 * pl_rng_normal(rng)));
	return pl_stats_centre(samples, 24);
}

static void count_coverage(size_t n, double *student, double *percentile, double *bootstrap)
{
	unsigned hits[3] = {0, 0, 0};
	struct pl_rng rng;

	pl_rng_init(&rng, 100 + n);
	for (unsigned r = 0; r < TRIALS; r++) {
		double v[32];
		struct pl_estimate e;

		for (size_t i = 0; i < n; i++)
			v[i] = draw_block(&rng) - draw_block(&rng);
		e = pl_stats_estimate(v, n, 0.0);
		hits[0] += e.low <= 0.0 && 0.0 <= e.high;
		hits[1] += percentile_covers(v, n, 0.0, &rng);
		e = pl_stats_estimate_bootstrap(v, n, RESAMPLES, &rng);
		hits[2] += e.low <= 0.0 && 0.0 <= e.high;
	}
	*student = 100.0 * hits[0] / TRIALS;
	*percentile = 100.0 * hits[1] / TRIALS;
	*bootstrap = 100.0 * hits[2] / TRIALS;
}

static int draw_coverage(const char *dir)
{
	struct chart c = {NULL, 4.0, 32.0, 76.0, 100.0, true};
	double x[COUNTS], student[COUNTS], percentile[COUNTS], bootstrap[COUNTS];
	const double ends[] = {4.0, 32.0}, wanted[] = {95.0, 95.0};

	for (size_t i = 0; i < COUNTS; i++) {
		x[i] = (double)block_counts[i];
		count_coverage(block_counts[i], &student[i], &percentile[i], &bootstrap[i]);
	}
	if (open_chart(&c, dir, "method-coverage.svg",
		       "How often a 95 % interval covers the truth, %", "blocks"))
		return 1;
	for (double y = 80.0; y <= 100.0; y += 5.0) {
		char text[8];

		snprintf(text, sizeof(text), "%.0f", y);
		y_tick(&c, y, text);
	}
	for (size_t i = 0; i < COUNTS; i++) {
		char text[8];

		snprintf(text, sizeof(text), "%zu", block_counts[i]);
		x_tick(&c, x[i], text);
	}
	draw_line(&c, ends, wanted, 2, "#999", "2 3");
	draw_line(&c, x, percentile, COUNTS, "#b2182b", "");
	draw_line(&c, x, bootstrap, COUNTS, "#2166ac", "5 3");
	draw_line(&c, x, student, COUNTS, "#111", "");
	fprintf(c.out, "<g transform=\"translate(300,130)\">\n");
	legend(&c, 0, "#111", "Student-t over blocks (used)");
	legend(&c, 1, "#2166ac", "bootstrap-t (dashed)");
	legend(&c, 2, "#b2182b", "percentile bootstrap");
	fputs("</g>\n", c.out);
	printf("coverage at 6 and 12 blocks: Student-t %.1f, %.1f; percentile bootstrap %.1f, "
	       "%.1f; bootstrap-t %.1f, %.1f\n",
	       student[1], student[3], percentile[1], percentile[3], bootstrap[1], bootstrap[3]);
	return close_chart(&c) ? 1 : 0;
}

/* ---- power ---- */

static const double sizes[] = {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* Effects of these sizes in printed limits, over runs that are drawn anew. */
static double power_at(double size, size_t n, double alpha)
{
	unsigned found = 0;
	struct pl_rng rng;

	pl_rng_init(&rng, 9);
	for (unsigned r = 0; r < TRIALS; r++) {
		double v[32];
		struct pl_estimate e;
		double limit;

		for (size_t i = 0; i < n; i++)
			v[i] = draw_block(&rng) - draw_block(&rng);
		e = pl_stats_estimate(v, n, 0.0);
		limit = pl_stats_detection_limit(e.error, e.df, alpha);
		for (size_t i = 0; i < n; i++)
			v[i] = draw_block(&rng) - draw_block(&rng) + size * limit;
		found += pl_stats_estimate(v, n, 0.0).p <= alpha;
	}
	return 100.0 * found / TRIALS;
}

static int draw_power(const char *dir)
{
	struct chart c = {NULL, 0.0, 3.0, 0.0, 100.0, false};
	double power[SIZES];
	const double ends[] = {1.0, 1.0}, range[] = {0.0, 100.0};

	for (size_t i = 0; i < SIZES; i++)
		power[i] = power_at(sizes[i], 12, 0.001);
	if (open_chart(&c, dir, "method-power.svg",
		       "How often an effect is claimed, % (12 blocks, ten claims in the report)",
		       "size of the effect, in printed detection limits"))
		return 1;
	for (double y = 0.0; y <= 100.0; y += 20.0) {
		char text[8];

		snprintf(text, sizeof(text), "%.0f", y);
		y_tick(&c, y, text);
	}
	x_tick(&c, 0.0, "0");
	x_tick(&c, 1.0, "1");
	x_tick(&c, 2.0, "2");
	x_tick(&c, 3.0, "3");
	draw_line(&c, ends, range, 2, "#999", "2 3");
	draw_line(&c, sizes, power, SIZES, "#111", "");
	printf("{\"power_at_limit_percent\": %.1f, \"power_at_half_percent\": %.1f}\n", power[3],
	       power[1]);
	return close_chart(&c) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: figures DIR\n", stderr);
		return 2;
	}
	return draw_exit(argv[1]) || draw_coverage(argv[1]) || draw_power(argv[1]);
}
