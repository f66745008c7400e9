#include "session/precision.h"

#include <math.h>
#include <string.h>

#include "core/stats_step.h"
#include "model/access.h"
#include "model/state.h"
#include "model/summary.h"

#define GAPS_MAX 40u
#define PLATEAU_GAPS 3u /* of one plateau that go on */
#define STEP_LEVEL 0.01

struct pair {
	size_t arm, reference; /* indices of measurements */
};

struct pl_stopping_claim {
	struct pl_precision precision;
	enum pl_sequence_verdict verdict;
	struct pair pairs[GAPS_MAX]; /* one, or gaps ascending */
	size_t count;
	bool is_going[GAPS_MAX]; /* pairs that are still measured */
	size_t low, high;        /* of a curve: plateaus are below low and from high on */
};

static const struct pl_measurement *series(const struct pl_stopping *s, size_t i)
{
	return s->run->measurements[i];
}

static struct pl_stopping_claim *add_claim(struct pl_stopping *s, struct pl_precision precision)
{
	void *items = s->claims;
	struct pl_stopping_claim *claim = pl_arena_push(&s->run->arena, &items, &s->claim_count,
							&s->claim_capacity, sizeof(*claim));

	s->claims = items;
	*claim = (struct pl_stopping_claim){.precision = precision};
	return claim;
}

static void add_pair(const struct pl_stopping *s, struct pl_stopping_claim *claim, size_t arm,
		     size_t reference)
{
	uint64_t gap = series(s, arm)->conditions.gap_ns;
	size_t i = claim->count;

	if (i == GAPS_MAX)
		return;
	for (; i > 0 && series(s, claim->pairs[i - 1].arm)->conditions.gap_ns > gap; i--)
		claim->pairs[i] = claim->pairs[i - 1];
	claim->pairs[i] = (struct pair){arm, reference};
	claim->is_going[claim->count++] = true;
}

static bool is_live(const struct pl_measurement *m)
{
	return m->outcome == PL_OUTCOME_PENDING && pl_measurement_is_claimable(m) &&
	       !pl_measurement_is_slept(m);
}

static void add_hops(struct pl_stopping *s, size_t i)
{
	const struct pl_measurement *m = series(s, i);

	for (size_t k = 0; k < i; k++) {
		const struct pl_measurement *other = series(s, k);

		if (is_live(other) && other->slot != m->slot && !other->conditions.gap_ns &&
		    other->boot == m->boot && pl_measurement_is_same_access(other, m) &&
		    pl_state_is_same(other->conditions.state, m->conditions.state) &&
		    pl_slot_reference_class(other->slot, m->slot) != PL_REF_NONE)
			add_pair(s, add_claim(s, s->hop), i, k);
	}
}

static bool is_beside(const struct pl_measurement *a, const struct pl_measurement *b)
{
	return a->slot == b->slot && a->boot == b->boot && pl_bdf_is_equal(a->device, b->device) &&
	       pl_measurement_is_same_access(a, b);
}

/* The same gap with the links off; SIZE_MAX: there is none. */
static size_t find_off(const struct pl_stopping *s, size_t i)
{
	const struct pl_measurement *m = series(s, i);

	for (size_t k = 0; k < s->run->measurement_count; k++)
		if (is_live(series(s, k)) && is_beside(series(s, k), m) &&
		    pl_state_is_off(series(s, k)->conditions.state) &&
		    series(s, k)->conditions.gap_ns == m->conditions.gap_ns)
			return k;
	return SIZE_MAX;
}

static bool is_first_of_curve(const struct pl_stopping *s, size_t i)
{
	const struct pl_measurement *m = series(s, i);

	for (size_t k = 0; k < i; k++)
		if (is_live(series(s, k)) && is_beside(series(s, k), m) &&
		    series(s, k)->conditions.gap_ns &&
		    pl_state_is_same(series(s, k)->conditions.state, m->conditions.state))
			return false;
	return true;
}

static void add_curve(struct pl_stopping *s, size_t i)
{
	const struct pl_measurement *m = series(s, i);
	struct pl_stopping_claim *claim = add_claim(s, s->exit);

	for (size_t k = 0; k < s->run->measurement_count; k++) {
		const struct pl_measurement *other = series(s, k);
		size_t off;

		if (!is_live(other) || !is_beside(other, m) ||
		    !pl_state_is_same(other->conditions.state, m->conditions.state))
			continue;
		off = find_off(s, k);
		if (off != SIZE_MAX)
			add_pair(s, claim, k, off);
	}
	if (claim->count < 3)
		s->claim_count--; /* the last one: no curve */
	claim->low = 1;
	claim->high = claim->count - (claim->count / 4 ? claim->count / 4 : 1);
}

static void add_exits(struct pl_stopping *s, size_t i)
{
	const struct pl_measurement *m = series(s, i);

	if (pl_state_is_off(m->conditions.state) || pl_state_is_control(m->conditions.state))
		return;
	if (m->conditions.gap_ns && is_first_of_curve(s, i))
		add_curve(s, i);
	if (!m->conditions.gap_ns && m->probe != PL_PROBE_CONFIG && find_off(s, i) != SIZE_MAX)
		add_pair(s, add_claim(s, s->exit), i, find_off(s, i));
}

void pl_stopping_open(struct pl_stopping *s, struct pl_run *run, const struct pl_precision *hop,
		      const struct pl_precision *exit)
{
	*s = (struct pl_stopping){.run = run};
	s->hop = hop ? *hop : pl_precision_hop;
	s->exit = exit ? *exit : pl_precision_exit;
	s->centres = pl_arena_array(&run->arena, run->measurement_count, sizeof(*s->centres));
	s->known = pl_arena_array(&run->arena, run->measurement_count, sizeof(*s->known));
	for (size_t i = 0; i < run->measurement_count; i++) {
		s->centres[i] = pl_arena_array(&run->arena, series(s, i)->blocks, sizeof(double));
		if (!is_live(series(s, i)))
			continue;
		if (!series(s, i)->conditions.gap_ns && series(s, i)->probe != PL_PROBE_CONFIG &&
		    !pl_state_is_control(series(s, i)->conditions.state))
			add_hops(s, i);
		add_exits(s, i);
	}
}

static double difference(const struct pl_stopping *s, const struct pair *pair, size_t b)
{
	if (b >= s->known[pair->arm] || b >= s->known[pair->reference])
		return (double)NAN;
	return s->centres[pair->arm][b] - s->centres[pair->reference][b];
}

static unsigned rounds_of(const struct pl_stopping *s, const struct pl_stopping_claim *claim)
{
	unsigned most = 0;

	for (size_t i = 0; i < claim->count; i++) {
		unsigned x = s->known[claim->pairs[i].arm], y = s->known[claim->pairs[i].reference];
		unsigned both = x < y ? x : y;

		most = both > most ? both : most;
	}
	return most;
}

static double rounds_left(const struct pl_stopping *s, const struct pl_stopping_claim *claim)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < claim->count; i++) {
		const struct pl_measurement *m = series(s, claim->pairs[i].arm);

		if (claim->is_going[i])
			least = fmin(least, (double)(m->blocks - m->blocks_done));
	}
	return least;
}

/* Where the step is; the plateaus' shortest gaps go on, the rest has told what it can. */
static void find_plateaus(struct pl_stopping_claim *claim, const double *values, size_t rounds)
{
	struct pl_step step = pl_stats_find_step(values, rounds, claim->count, STEP_LEVEL, 1);
	size_t last = step.second ? step.second : step.split;

	if (step.shape != PL_SHAPE_STEP && step.shape != PL_SHAPE_TWO_STEPS)
		return;
	claim->low = step.split > 1 ? step.split - 1 : step.split;
	claim->high = last + 1 < claim->count ? last + 1 : last;
	for (size_t i = 0; i < claim->count; i++)
		claim->is_going[i] = (i < claim->low && i < PLATEAU_GAPS) ||
				     (i >= claim->high && i < claim->high + PLATEAU_GAPS);
}

static void judge(struct pl_stopping *s, struct pl_stopping_claim *claim, struct pl_arena *scratch)
{
	size_t rounds = rounds_of(s, claim);
	double *values = pl_arena_array(scratch, rounds * claim->count, sizeof(*values));
	double *blocks = pl_arena_array(scratch, rounds, sizeof(*blocks));

	for (size_t b = 0; b < rounds; b++)
		for (size_t i = 0; i < claim->count; i++)
			values[b * claim->count + i] = difference(s, &claim->pairs[i], b);
	if (claim->count > 1 && rounds == PL_SEQUENCE_MIN_ROUNDS)
		find_plateaus(claim, values, rounds);
	if (claim->count > 1)
		pl_stats_step_contrast(values, rounds, claim->count, claim->low, claim->high,
				       blocks);
	else
		memcpy(blocks, values, rounds * sizeof(*blocks));
	claim->verdict =
		pl_sequence_judge(blocks, rounds, 0.0, &claim->precision, rounds_left(s, claim))
			.verdict;
}

void pl_stopping_update(struct pl_stopping *s)
{
	struct pl_arena scratch = {NULL};

	for (size_t i = 0; i < s->run->measurement_count; i++)
		for (; s->known[i] < series(s, i)->blocks_done; s->known[i]++)
			s->centres[i][s->known[i]] =
				pl_measurement_block_centre(series(s, i), s->known[i]);
	for (size_t i = 0; i < s->claim_count; i++)
		if (s->claims[i].verdict == PL_SEQUENCE_CONTINUE &&
		    rounds_of(s, &s->claims[i]) >= PL_SEQUENCE_MIN_ROUNDS)
			judge(s, &s->claims[i], &scratch);
	pl_arena_fini(&scratch);
}

/* A pair of which one was given up tells no more. */
static bool is_wanted(const struct pl_stopping *s, const struct pair *pair)
{
	return series(s, pair->arm)->outcome == PL_OUTCOME_PENDING &&
	       series(s, pair->reference)->outcome == PL_OUTCOME_PENDING;
}

bool pl_stopping_wants(const struct pl_stopping *s, size_t index)
{
	const struct pl_measurement *m = series(s, index);

	if (m->blocks_done >= m->blocks)
		return false;
	if (m->blocks_done < PL_SEQUENCE_MIN_ROUNDS)
		return true;
	for (size_t i = 0; i < s->claim_count; i++) {
		const struct pl_stopping_claim *claim = &s->claims[i];

		for (size_t k = 0; k < claim->count && claim->verdict == PL_SEQUENCE_CONTINUE; k++)
			if (claim->is_going[k] && is_wanted(s, &claim->pairs[k]) &&
			    (claim->pairs[k].arm == index || claim->pairs[k].reference == index))
				return true;
	}
	return false;
}

size_t pl_stopping_close(struct pl_stopping *s)
{
	size_t out_of_reach = 0;

	for (size_t i = 0; i < s->run->measurement_count; i++) {
		struct pl_measurement *m = s->run->measurements[i];

		if (m->blocks_done >= PL_SEQUENCE_MIN_ROUNDS && m->blocks_done < m->blocks)
			pl_measurement_set_number(s->run, m, PL_SEQUENCE_FACT, 1.0);
	}
	for (size_t i = 0; i < s->claim_count; i++)
		out_of_reach += s->claims[i].verdict != PL_SEQUENCE_RESOLVED;
	return out_of_reach;
}

size_t pl_stopping_count(const struct pl_stopping *s, size_t *resolved)
{
	*resolved = 0;
	for (size_t i = 0; i < s->claim_count; i++)
		*resolved += s->claims[i].verdict == PL_SEQUENCE_RESOLVED;
	return s->claim_count;
}
