#include "session/watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/rng.h"
#include "core/stats.h"
#include "session/gap_step.h"
#include "session/spikes.h"

#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define WINDOW_S 1.0
/* Spinning the end of a sleep hides the timer's own lateness. */
#define SPIN_NS 200000.0
#define REOPEN_S 1.0
#define ROUNDS_PER_BLOCK 8u
#define CONTROLS_PER_BLOCK 4u
#define JOIN_INTERVALS 3.0
#define LEARN ((uint64_t)200) /* reads before anything is called a spike */

static const uint64_t gap_choices_ns[PL_WATCH_GAPS] = {
	0,       5000,    10000,    20000,    50000,    100000,    200000,    500000,   1000000,
	2000000, 5000000, 10000000, 20000000, 50000000, 100000000, 200000000, 500000000};

struct watcher {
	struct pl_watch *watch;
	const struct pl_clock *clock;
	const struct pl_watch_options *options;
	struct pl_sampler *sampler;
	struct pl_rng rng;
	uint64_t start; /* ticks */
	struct pl_hist window;
	double window_end_s;
	unsigned window_spikes;
	size_t order[PL_WATCH_GAPS], at; /* gaps of this round, and which is next */
	unsigned round;                  /* of this block */
	uint64_t block[PL_WATCH_GAPS][ROUNDS_PER_BLOCK];
	unsigned block_n[PL_WATCH_GAPS];
	uint64_t controls[PL_WATCH_GAPS][CONTROLS_PER_BLOCK];
	unsigned control_n[PL_WATCH_GAPS];
	unsigned failures; /* in a row */
	unsigned stops;    /* of this program, when it was asked last */
	int64_t waited_ns; /* for a processor, when a read began; below 0: not known */
};

static double now_s(const struct watcher *w)
{
	return pl_clock_ns(w->clock, pl_clock_now(w->clock) - w->start) / 1e9;
}

/* Whether this program was stopped and continued since it was asked last. */
static bool was_stopped(struct watcher *w)
{
	unsigned before = w->stops;

	if (w->options->stops)
		w->stops = w->options->stops(w->options->ctx);
	return w->stops != before;
}

static int64_t waited_ns(const struct watcher *w)
{
	return w->options->waited_ns ? w->options->waited_ns(w->options->ctx) : -1;
}

static bool is_interrupted(const struct watcher *w)
{
	return w->options->is_interrupted && w->options->is_interrupted(w->options->ctx);
}

/* Not beyond the end of the watch. */
static void sleep_until_s(const struct watcher *w, double until_s)
{
	uint64_t ticks;
	double left_ns;

	if (w->options->duration_ns && until_s > (double)w->options->duration_ns / 1e9)
		until_s = (double)w->options->duration_ns / 1e9;
	ticks = w->start + pl_clock_ticks(w->clock, until_s * 1e9);
	left_ns = (until_s - now_s(w)) * 1e9 - SPIN_NS;

	if (left_ns > 0.0 && !w->clock->idle_until) {
		struct timespec t = {(time_t)(left_ns / 1e9), 0};

		t.tv_nsec = (long)(left_ns - (double)t.tv_sec * 1e9);
		nanosleep(&t, NULL);
		if (is_interrupted(w))
			return;
	}
	pl_clock_idle_until(w->clock, ticks);
}

/* --- what others do --- */

static int64_t ask_others(const struct watcher *w)
{
	const struct pl_sampler *sampler = w->sampler;

	return sampler->others ? sampler->others(sampler->self) : -1;
}

static int64_t add_others(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a + b;
}

/* --- time series --- */

static void join_points(struct pl_watch *watch)
{
	for (size_t i = 0; i < PL_WATCH_POINTS / 2; i++) {
		const struct pl_watch_point *a = &watch->points[2 * i], *b = a + 1;
		uint64_t n = a->n + b->n;
		struct pl_watch_point both = *a;

		both.n = n;
		if (!a->n)
			both.p50_ns = b->p50_ns;
		else if (b->n)
			both.p50_ns =
				((double)a->n * a->p50_ns + (double)b->n * b->p50_ns) / (double)n;
		both.p99_ns = fmax(a->p99_ns, b->p99_ns);
		both.max_ns = fmax(a->max_ns, b->max_ns);
		both.spikes = a->spikes + b->spikes;
		both.others = add_others(a->others, b->others);
		watch->points[i] = both;
	}
	watch->point_count = PL_WATCH_POINTS / 2;
	watch->window_s *= 2.0;
}

/*
 * A spike is four times the median and far outside the usual spread, learnt from all reads so far.
 */
static void learn_threshold(struct pl_watch *watch)
{
	double p50, p90;

	if (watch->hist.n < LEARN)
		return;
	p50 = (double)pl_hist_quantile_ns(&watch->hist, 0.5);
	p90 = (double)pl_hist_quantile_ns(&watch->hist, 0.9);
	watch->spike_threshold_ns = p50 + 10.0 * (p90 - p50);
	if (watch->spike_threshold_ns < 4.0 * p50)
		watch->spike_threshold_ns = 4.0 * p50;
}

static void close_window(struct watcher *w)
{
	struct pl_watch *watch = w->watch;
	int64_t others;

	watch->elapsed_s = now_s(w);
	if (watch->elapsed_s < w->window_end_s)
		return;
	others = ask_others(w);
	watch->others = add_others(watch->others, others);
	watch->points[watch->point_count++] = (struct pl_watch_point){
		.t_s = w->window_end_s - watch->window_s,
		.n = w->window.n,
		.p50_ns = pl_hist_carried_ns(&w->window, 0.5),
		.p99_ns = pl_hist_carried_ns(&w->window, 0.99),
		.max_ns = w->window.n ? (double)w->window.max_ns : (double)NAN,
		.spikes = w->window_spikes,
		.others = others,
	};
	if (watch->point_count == PL_WATCH_POINTS)
		join_points(watch); /* now, so that the next window is a long one */
	learn_threshold(watch);
	memset(&w->window, 0, sizeof(w->window));
	w->window_spikes = 0;
	while (w->window_end_s <= watch->elapsed_s)
		w->window_end_s += watch->window_s;
	if (w->options->show)
		w->options->show(w->options->ctx, watch);
}

/* --- spikes --- */

/* Keeps the larger half: the small ones are the ones that do not matter. Of equal ones the earlier.
 */
static void drop_small_spikes(struct pl_watch *watch)
{
	uint64_t sorted[PL_WATCH_SPIKES];
	size_t kept = 0, above = 0, equals;
	double middle;

	for (size_t i = 0; i < watch->spike_count; i++)
		sorted[i] = (uint64_t)watch->spikes[i].latency_ns;
	pl_stats_sort(sorted, watch->spike_count);
	middle = (double)sorted[watch->spike_count / 2];
	for (size_t i = 0; i < watch->spike_count; i++)
		above += watch->spikes[i].latency_ns > middle;
	equals = watch->spike_count / 2 - above;
	for (size_t i = 0; i < watch->spike_count; i++) {
		double ns = watch->spikes[i].latency_ns;

		if (ns > middle || (ns == middle && equals && equals--))
			watch->spikes[kept++] = watch->spikes[i];
	}
	watch->spikes_dropped += watch->spike_count - kept;
	watch->spike_count = kept;
}

static void add_spike(struct watcher *w, double t_s, double latency_ns)
{
	struct pl_watch *watch = w->watch;
	struct pl_spike *last = watch->spike_count ? &watch->spikes[watch->spike_count - 1] : NULL;

	if (last && t_s - last->t_s < watch->join_s) {
		if (latency_ns > last->latency_ns)
			last->latency_ns = latency_ns;
		return;
	}
	w->window_spikes++;
	if (watch->spike_count == PL_WATCH_SPIKES)
		drop_small_spikes(watch);
	watch->spikes[watch->spike_count++] = (struct pl_spike){t_s, latency_ns};
}

/* --- gaps --- */

static void join_pairs(double medians_ns[PL_WATCH_BLOCKS][PL_WATCH_GAPS], size_t gaps)
{
	for (size_t i = 0; i < PL_WATCH_BLOCKS / 2; i++)
		for (size_t k = 0; k < gaps; k++)
			medians_ns[i][k] = (medians_ns[2 * i][k] + medians_ns[2 * i + 1][k]) / 2.0;
}

static void join_blocks(struct pl_watch *watch)
{
	join_pairs(watch->gap_medians_ns, watch->gap_count);
	join_pairs(watch->control_medians_ns, watch->gap_count);
	watch->block_count = PL_WATCH_BLOCKS / 2;
}

static double median_of(uint64_t *values, unsigned n)
{
	pl_stats_sort(values, n);
	return (double)pl_stats_quantile(values, n, 0.5);
}

/* A block counts only when every gap has a read in it, and a control where there is one. */
static void close_block(struct watcher *w)
{
	struct pl_watch *watch = w->watch;
	bool is_whole = true;

	for (size_t k = 0; k < watch->gap_count; k++)
		is_whole = is_whole && w->block_n[k] && (w->control_n[k] || !watch->has_control);
	if (is_whole && watch->block_count == PL_WATCH_BLOCKS)
		join_blocks(watch);
	for (size_t k = 0; is_whole && k < watch->gap_count; k++) {
		watch->gap_medians_ns[watch->block_count][k] =
			median_of(w->block[k], w->block_n[k]);
		if (watch->has_control)
			watch->control_medians_ns[watch->block_count][k] =
				median_of(w->controls[k], w->control_n[k]);
	}
	watch->block_count += is_whole;
	memset(w->block_n, 0, sizeof(w->block_n));
	memset(w->control_n, 0, sizeof(w->control_n));
	w->round = 0;
}

static unsigned rounds_per_block(const struct watcher *w)
{
	return ROUNDS_PER_BLOCK + (w->watch->has_control ? CONTROLS_PER_BLOCK : 0);
}

/* Each third round. */
static bool is_control_round(const struct watcher *w)
{
	return w->watch->has_control && w->round % 3 == 2;
}

/* Every gap once a round, in an order of its own. */
static size_t next_gap(struct watcher *w)
{
	if (w->at == w->watch->gap_count) {
		w->at = 0;
		pl_rng_shuffle(&w->rng, w->order, w->watch->gap_count);
		if (++w->round == rounds_per_block(w))
			close_block(w);
	}
	return w->order[w->at++];
}

/* --- reads --- */

/*
 * A read far above the rest. While this program waits for a processor an answer may lie there
 * unseen: what is not far above the rest without that time may be the host's, and is no spike.
 */
static void judge(struct watcher *w, double t_s, double ns)
{
	double least_ns = w->watch->spike_threshold_ns;
	int64_t now_ns;

	if (least_ns <= 0.0 || ns <= least_ns)
		return;
	now_ns = waited_ns(w);
	if (w->waited_ns < 0 || now_ns < 0 || ns - (double)(now_ns - w->waited_ns) > least_ns)
		add_spike(w, t_s, ns);
	else
		w->watch->host_waits++;
}

/* One read: its latency, or what the sampler said; -EINTR: this program was stopped meanwhile. */
static int read_once(struct watcher *w, uint64_t *ns, struct pl_err *err)
{
	double t_s = now_s(w);
	uint64_t ticks;
	ssize_t got;

	w->waited_ns = waited_ns(w);
	got = w->sampler->sample(w->sampler->self, &ticks, 1, err);
	if (got < 1) {
		w->watch->failed++;
		w->failures++;
		return got < 0 ? (int)got : -EIO;
	}
	w->failures = 0;
	if (was_stopped(w)) {
		w->watch->stopped++;
		return -EINTR;
	}
	*ns = (uint64_t)(pl_clock_ns(w->clock, ticks) + 0.5);
	pl_hist_add(&w->watch->hist, *ns);
	pl_hist_add(&w->window, *ns);
	judge(w, t_s, (double)*ns);
	return 0;
}

static int take_control(struct watcher *w, size_t gap, struct pl_err *err)
{
	const struct pl_sampler *control = w->options->control;
	uint64_t ticks;

	w->waited_ns = waited_ns(w); /* what is done before a read is done before the control */
	if (control->sample(control->self, &ticks, 1, err) == 1)
		w->controls[gap][w->control_n[gap]++] =
			(uint64_t)(pl_clock_ns(w->clock, ticks) + 0.5);
	return 0;
}

static int make_tick(struct watcher *w, struct pl_err *err)
{
	size_t gap = next_gap(w);
	uint64_t ns, end;
	int rc;

	was_stopped(w);
	rc = read_once(w, &ns, err);
	if (rc)
		return rc;
	end = pl_clock_now(w->clock) + pl_clock_ticks(w->clock, (double)w->watch->gaps_ns[gap]);
	if (w->watch->gaps_ns[gap])
		pl_clock_idle_until(w->clock, end);
	if (was_stopped(w))
		return 0; /* that gap was none */
	if (is_control_round(w))
		return take_control(w, gap, err);
	rc = read_once(w, &ns, err);
	if (!rc)
		w->block[gap][w->block_n[gap]++] = ns;
	return rc;
}

static int wait_for_device(struct watcher *w, struct pl_err *err)
{
	struct pl_watch *watch = w->watch;
	struct pl_outage *outage = NULL;
	int rc = -ENODEV;

	if (!w->options->reopen)
		return rc;
	if (watch->outage_count < PL_WATCH_OUTAGES)
		outage = &watch->outages[watch->outage_count++];
	if (outage)
		*outage = (struct pl_outage){now_s(w), 0.0};
	while (rc && !is_interrupted(w)) {
		if (w->options->duration_ns && now_s(w) * 1e9 >= (double)w->options->duration_ns)
			return 0;
		sleep_until_s(w, now_s(w) + REOPEN_S);
		pl_sampler_close(w->sampler);
		rc = w->options->reopen(w->options->ctx, w->sampler, err);
		close_window(w);
	}
	if (outage && !rc)
		outage->to_s = now_s(w);
	w->failures = 0;
	return 0;
}

static bool is_over(const struct watcher *w)
{
	return is_interrupted(w) ||
	       (w->options->duration_ns && now_s(w) * 1e9 >= (double)w->options->duration_ns);
}

static int walk(struct watcher *w, struct pl_err *err)
{
	double interval_s = (double)w->watch->interval_ns / 1e9;
	uint64_t tick = 0;
	int rc = 0;

	while (!rc && !is_over(w)) {
		uint64_t due = (uint64_t)(now_s(w) / interval_s) + 1;

		w->watch->late += due > tick + 1 ? (size_t)(due - tick - 1) : 0;
		tick = due;
		sleep_until_s(w, (double)tick * interval_s);
		if (is_over(w))
			break;
		rc = make_tick(w, err);
		if (rc && rc != -EINTR)
			snprintf(w->watch->failure, sizeof(w->watch->failure), "%.*s",
				 (int)sizeof(w->watch->failure) - 1, err->text);
		if (rc == -ENODEV || w->failures >= 10)
			rc = wait_for_device(w, err);
		else
			rc = 0;
		close_window(w);
	}
	return rc;
}

static void init(struct watcher *w)
{
	struct pl_watch *watch = w->watch;

	memset(watch, 0, sizeof(*watch));
	watch->interval_ns =
		w->options->interval_ns ? w->options->interval_ns : DEFAULT_INTERVAL_NS;
	watch->window_s = w->window_end_s = WINDOW_S;
	watch->join_s = JOIN_INTERVALS * (double)watch->interval_ns / 1e9;
	for (size_t i = 0; i < PL_WATCH_GAPS; i++)
		if (gap_choices_ns[i] <= watch->interval_ns / 2) {
			w->order[watch->gap_count] = watch->gap_count;
			watch->gaps_ns[watch->gap_count++] = gap_choices_ns[i];
		}
	w->at = watch->gap_count;
	watch->has_control = w->options->control != NULL;
	pl_rng_init(&w->rng, w->options->seed);
	watch->others = -1;
	watch->host_waits = waited_ns(w) < 0 ? -1 : 0;
	ask_others(w); /* what was before belongs to no window */
	w->start = pl_clock_now(w->clock);
}

int pl_watch_run(struct pl_watch *watch, const struct pl_clock *clock, struct pl_sampler *sampler,
		 const struct pl_watch_options *options, struct pl_err *err)
{
	struct watcher w = {.watch = watch, .clock = clock, .options = options, .sampler = sampler};
	struct pl_err own = {0, ""};
	int rc;

	init(&w);
	rc = walk(&w, err ? err : &own);
	watch->elapsed_s = now_s(&w);
	watch->others =
		add_others(watch->others, ask_others(&w)); /* of the window that was begun */
	watch->period = pl_spikes_find_period(watch->spikes, watch->spike_count, watch->join_s,
					      options->seed);
	if (!watch->period.is_found && watch->spikes_dropped)
		watch->period.why = "there were more spikes than are kept: the times between them "
				    "are not all known";
	watch->gap_step = pl_gap_step_find(watch, options->seed);
	return watch->hist.n ? 0 : rc;
}
