#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"
#include "report/attribute.h"
#include "report/rows.h"

/*
 * Every sentence of a claim, in one table. {fields} are filled from the claim; a sentence never
 * says more than its status.
 */
static const char *const sentences[PL_WORDS_COUNT][3] = {
	[PL_WORDS_HOP_CHIPSET] =
		{
			[PL_CLAIM_RESOLVED] =
				"The chipset adds {value} (95 % CI) to {access} ({class}: {slot}, "
				"{via}, {arm_ns}; {ref_slot}, {ref_via}, {ref_ns}).",
			[PL_CLAIM_NOT_RESOLVED] =
				"No hop seen: {access} in {slot} ({via}) differs from {ref_slot} "
				"({ref_via}) by {value} (95 % CI, {class}); {limit} or more would "
				"have been seen.",
			[PL_CLAIM_NOT_MADE] = "{slot}: no hop for {access}: {reason}.",
		},
	[PL_WORDS_HOP] =
		{
			[PL_CLAIM_RESOLVED] =
				"{Access} takes {size} {longer} in {slot} ({via}, {arm_ns}) than "
				"in {ref_slot} ({ref_via}, {ref_ns}) (95 % CI, {class}).",
			[PL_CLAIM_NOT_RESOLVED] =
				"No hop seen: {access} in {slot} ({via}) differs from {ref_slot} "
				"({ref_via}) by {value} (95 % CI, {class}); {limit} or more would "
				"have been seen.",
			[PL_CLAIM_NOT_MADE] = "{slot}: no hop for {access}: {reason}.",
		},
	[PL_WORDS_CONFIG_STEP] =
		{
			[PL_CLAIM_RESOLVED] =
				"A configuration read of {function} takes {size} {longer} than of "
				"{ref_function}, the function before it on the way to {slot} "
				"(95 % CI, offset {offset}).",
			[PL_CLAIM_NOT_RESOLVED] =
				"Configuration reads of {function} and {ref_function} (on the way "
				"to {slot}) differ by {value} (95 % CI, offset {offset}); {limit} "
				"or more would have been seen.",
			[PL_CLAIM_NOT_MADE] =
				"{function}: no config step from {ref_function}: {reason}.",
		},
	[PL_WORDS_EXIT] =
		{
			[PL_CLAIM_RESOLVED] =
				"Waking the link of {slot} from {state} adds {value} (95 % CI) to "
				"{access} after {gap} of idle{advertised}.",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: no exit from {state} seen for {access}: {value} (95 % "
				"CI) after up to {gap} of idle; {limit} or more would have been "
				"seen{advertised}.",
			[PL_CLAIM_NOT_MADE] =
				"{slot}: no exit from {state} for {access}: {reason}.",
		},
	[PL_WORDS_EXIT_IN_COMMAND] =
		{
			[PL_CLAIM_RESOLVED] =
				"With {state} allowed, {access} in {slot} takes {size} {longer} "
				"under continuous traffic (95 % CI): the link sleeps and wakes "
				"inside the command.",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: with {state} allowed, {access} under continuous traffic "
				"differs by {value} (95 % CI); {limit} or more would have been "
				"seen.",
			[PL_CLAIM_NOT_MADE] =
				"{slot}: no exit from {state} inside {access}: {reason}.",
		},
	[PL_WORDS_ENTRY_TIMER] =
		{
			[PL_CLAIM_RESOLVED] =
				"The link of {slot} enters {state} between {low} and {high} of "
				"idle ({access}).",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: no entry into {state} seen up to {gap} of idle "
				"({access}).",
			[PL_CLAIM_NOT_MADE] =
				"{slot}: no entry timer of {state} from {access}: {reason}.",
		},
	[PL_WORDS_TAIL] =
		{
			[PL_CLAIM_RESOLVED] =
				"With {state} allowed, 1 in 100 of {access} in {slot} is {size} "
				"{longer} {after} (p99, 95 % CI {low} to {high}).",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: with {state} allowed, p99 of {access} {after} differs by "
				"{value} (95 % CI); {limit} or more would have been seen.",
			[PL_CLAIM_NOT_MADE] =
				"{slot}: no tail effect of {state} on {access}: {reason}.",
		},
	[PL_WORDS_CHAIN] =
		{
			[PL_CLAIM_RESOLVED] =
				"Waking the links above {slot} as well adds {value} (95 % CI) to "
				"{access} after {gap} of idle: exits on a path overlap, they are "
				"not summed.",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: waking the links above as well adds nothing seen to "
				"{access}: {value} (95 % CI) after {gap} of idle; {limit} or more "
				"would have been seen.",
			[PL_CLAIM_NOT_MADE] =
				"{slot}: no term for the links above, {access}: {reason}.",
		},
	[PL_WORDS_PREWOKEN] =
		{
			[PL_CLAIM_RESOLVED] =
				"With the link of {slot} woken first, {access} after {gap} of idle "
				"still takes {size} {longer} than with the links off (95 % CI): "
				"this part is no exit of the link; the drive sleeps with it "
				"(coupled).",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: with the link woken first, {access} after {gap} of idle "
				"differs from links off by {value} (95 % CI): what {state} adds is "
				"the link's, not the drive's; {limit} or more would have been "
				"seen.",
			[PL_CLAIM_NOT_MADE] =
				"{slot}: link and drive are not told apart, {access}: {reason}.",
		},
	[PL_WORDS_APST] =
		{
			[PL_CLAIM_RESOLVED] =
				"The drive in {slot} adds {size} to {access} after {gap} of idle "
				"through power states of its own (links off, APST as found against "
				"off, 95 % CI).",
			[PL_CLAIM_NOT_RESOLVED] =
				"{slot}: power states of the drive's own add nothing seen to "
				"{access} after {gap} of idle: {value} (95 % CI); {limit} or more "
				"would have been seen.",
			[PL_CLAIM_NOT_MADE] = "{slot}: no effect of APST on {access}: {reason}.",
		},
};

#define FIELD_BYTES 384

static const char *label(const struct pl_slot *slot)
{
	return slot && slot->label ? slot->label : slot && slot->key ? slot->key : "this device";
}

/* "CPU", "one PROM21", "two PROM21", "CPU, switch". */
static void put_via(char *out, const struct pl_slot *slot)
{
	static const char *const counts[] = {"", "one ", "two ", "three "};
	int hops = slot ? slot->chipset_hops : 0;

	if (slot && hops > 0 && hops < 4)
		snprintf(out, FIELD_BYTES, "%s%s", counts[hops],
			 slot->chipset ? pl_row_chip_name(slot) : "chipset");
	else
		snprintf(out, FIELD_BYTES, "%s", slot && hops == 0 ? "CPU" : "path not known");
}

static void put_class(char *out, const struct pl_claim *claim)
{
	bool is_drive = claim->arm->probe == PL_PROBE_NVME || claim->arm->probe == PL_PROBE_BAR;

	switch (claim->effect.reference_class) {
	case PL_REF_SAME_UNIT:
		snprintf(out, FIELD_BYTES, is_drive ? "same drive" : "same card");
		break;
	case PL_REF_SAME_MODEL:
		snprintf(out, FIELD_BYTES, "different units of one model");
		break;
	case PL_REF_SAME_SLOT:
		snprintf(out, FIELD_BYTES, "same slot");
		break;
	case PL_REF_NONE:
		snprintf(out, FIELD_BYTES, "different devices");
	}
}

static void put_function(char *out, struct pl_bdf bdf)
{
	char text[PL_BDF_TEXT];

	snprintf(out, FIELD_BYTES, "%s", pl_bdf_format(bdf, text));
}

static void put_advertised(char *out, const struct pl_effect *effect)
{
	char low[32], high[32];

	*out = '\0';
	if (!effect->verdict)
		return;
	pl_fmt_ns(low, sizeof(low), (double)effect->advertised_low_ns);
	pl_fmt_ns(high, sizeof(high), (double)effect->advertised_high_ns);
	if (effect->advertised_low_ns < 0 && effect->advertised_high_ns < 0)
		snprintf(out, FIELD_BYTES, " (advertised: %s)", effect->verdict);
	else if (effect->advertised_high_ns < 0)
		snprintf(out, FIELD_BYTES, " (advertised: more than %s: %s)", low, effect->verdict);
	else
		snprintf(out, FIELD_BYTES, " (advertised: %s–%s: %s)", low, high, effect->verdict);
}

static double half_width(const struct pl_effect *effect)
{
	return 0.5 * (effect->high_ns - effect->low_ns);
}

static void put_access(char *out, struct pl_attribution *a, const struct pl_claim *claim,
		       bool is_capital)
{
	snprintf(out, FIELD_BYTES, "%s", pl_series_access(a, claim->arm));
	if (is_capital && out[0] >= 'a' && out[0] <= 'z')
		out[0] = (char)(out[0] - 'a' + 'A');
}

struct filling {
	struct pl_attribution *a;
	const struct pl_claim *claim;
	char *out;
};

static void put_ns(char *out, double ns)
{
	pl_fmt_ns(out, FIELD_BYTES, ns);
}

static void put_value(struct filling *f)
{
	pl_fmt_ns_pm(f->out, FIELD_BYTES, f->claim->effect.estimate_ns,
		     half_width(&f->claim->effect));
}

static void put_size(struct filling *f)
{
	pl_fmt_ns_pm(f->out, FIELD_BYTES, fabs(f->claim->effect.estimate_ns),
		     half_width(&f->claim->effect));
}

static void put_longer(struct filling *f)
{
	snprintf(f->out, FIELD_BYTES, f->claim->effect.estimate_ns < 0.0 ? "shorter" : "longer");
}

static void put_slot(struct filling *f)
{
	snprintf(f->out, FIELD_BYTES, "%s", label(f->claim->effect.slot));
}

static void put_ref_slot(struct filling *f)
{
	snprintf(f->out, FIELD_BYTES, "%s", label(f->claim->effect.reference_slot));
}

static void put_slot_via(struct filling *f)
{
	put_via(f->out, f->claim->effect.slot);
}

static void put_ref_via(struct filling *f)
{
	put_via(f->out, f->claim->effect.reference_slot);
}

static void put_arm_ns(struct filling *f)
{
	put_ns(f->out, f->claim->arm->summary.p50_ns);
}

static void put_ref_ns(struct filling *f)
{
	put_ns(f->out, f->claim->reference ? f->claim->reference->summary.p50_ns : (double)NAN);
}

static void put_low(struct filling *f)
{
	put_ns(f->out, f->claim->effect.low_ns);
}

static void put_high(struct filling *f)
{
	put_ns(f->out, f->claim->effect.high_ns);
}

static void put_limit(struct filling *f)
{
	put_ns(f->out, f->claim->effect.detection_limit_ns);
}

static void put_gap(struct filling *f)
{
	put_ns(f->out, (double)f->claim->gap_ns);
}

/* Gap 0 is continuous traffic. */
static void put_after(struct filling *f)
{
	char gap[32];

	pl_fmt_ns(gap, sizeof(gap), (double)f->claim->gap_ns);
	if (f->claim->gap_ns)
		snprintf(f->out, FIELD_BYTES, "after %s of idle", gap);
	else
		snprintf(f->out, FIELD_BYTES, "in continuous traffic");
}

static void put_state(struct filling *f)
{
	snprintf(f->out, FIELD_BYTES, "%s",
		 pl_links_state_text(f->a, f->claim->effect.slot, f->claim->effect.state));
}

static void put_reason(struct filling *f)
{
	snprintf(f->out, FIELD_BYTES, "%s", f->claim->effect.reason);
}

static void put_rung(struct filling *f)
{
	put_function(f->out, f->claim->effect.function);
}

static void put_ref_rung(struct filling *f)
{
	put_function(f->out, f->claim->effect.reference_function);
}

static void put_offset(struct filling *f)
{
	snprintf(f->out, FIELD_BYTES, "0x%x", f->claim->arm->conditions.config_offset);
}

static void put_the_class(struct filling *f)
{
	put_class(f->out, f->claim);
}

static void put_an_access(struct filling *f)
{
	put_access(f->out, f->a, f->claim, false);
}

static void put_capital_access(struct filling *f)
{
	put_access(f->out, f->a, f->claim, true);
}

static void put_the_advertised(struct filling *f)
{
	put_advertised(f->out, &f->claim->effect);
}

static const struct {
	const char *name;
	void (*put)(struct filling *f);
} fields[] = {
	{"value", put_value},
	{"size", put_size},
	{"longer", put_longer},
	{"slot", put_slot},
	{"ref_slot", put_ref_slot},
	{"via", put_slot_via},
	{"ref_via", put_ref_via},
	{"arm_ns", put_arm_ns},
	{"ref_ns", put_ref_ns},
	{"low", put_low},
	{"high", put_high},
	{"limit", put_limit},
	{"gap", put_gap},
	{"after", put_after},
	{"state", put_state},
	{"reason", put_reason},
	{"function", put_rung},
	{"ref_function", put_ref_rung},
	{"offset", put_offset},
	{"class", put_the_class},
	{"access", put_an_access},
	{"Access", put_capital_access},
	{"advertised", put_the_advertised},
};

static void put_field(struct filling *f, const char *name, size_t length)
{
	*f->out = '\0';
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == length && !strncmp(fields[i].name, name, length))
			fields[i].put(f);
}

#define SENTENCE_BYTES 2048

/* Fills one template; a sentence that would not fit is cut, never overrun. */
static char *fill(struct pl_attribution *a, const struct pl_claim *claim, const char *form)
{
	char text[SENTENCE_BYTES], field[FIELD_BYTES];
	struct filling f = {a, claim, field};
	size_t used = 0;

	while (*form && used + FIELD_BYTES < sizeof(text)) {
		const char *end = *form == '{' ? strchr(form, '}') : NULL;

		if (!end) {
			text[used++] = *form++;
			continue;
		}
		put_field(&f, form + 1, (size_t)(end - form) - 1);
		used += (size_t)snprintf(text + used, FIELD_BYTES, "%s", field);
		form = end + 1;
	}
	text[used] = '\0';
	return pl_arena_strdup(&a->run->arena, text);
}

static void word(struct pl_attribution *a, struct pl_claim *claim)
{
	struct pl_effect *effect = &claim->effect;
	char limit[32];

	if (effect->status == PL_CLAIM_NOT_RESOLVED && !isfinite(effect->detection_limit_ns)) {
		effect->status = PL_CLAIM_NOT_MADE;
		effect->reason = "too few values this far out to say what would have been seen";
	}
	if (effect->status == PL_CLAIM_NOT_RESOLVED && !effect->reason) {
		pl_fmt_ns(limit, sizeof(limit), effect->detection_limit_ns);
		effect->reason = pl_arena_printf(&a->run->arena,
						 "not resolved: would have seen %s or more", limit);
	}
	effect->sentence = fill(a, claim, sentences[claim->words][effect->status]);
	if (claim->note && effect->status != PL_CLAIM_NOT_MADE)
		effect->sentence =
			pl_arena_printf(&a->run->arena, "%s %s", effect->sentence, claim->note);
}

/* The gap that the sentence speaks of is the gap of the claim. */
static void set_gap(struct pl_attribution *a, struct pl_claim *claim)
{
	struct pl_conditions *c = pl_arena_alloc(&a->run->arena, sizeof(*c));

	*c = *claim->effect.conditions;
	c->gap_ns = claim->gap_ns;
	claim->effect.conditions = c;
}

void pl_claims_word(struct pl_attribution *a)
{
	for (size_t i = 0; i < a->count; i++) {
		word(a, &a->claims[i]);
		if (a->claims[i].gap_ns)
			set_gap(a, &a->claims[i]);
	}
}
