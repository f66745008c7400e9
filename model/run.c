#include "model/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 1024

void pl_run_init(struct pl_run *run)
{
	memset(run, 0, sizeof(*run));
	run->cpu = -1;
}

void pl_run_fini(struct pl_run *run)
{
	pl_arena_fini(&run->arena);
	memset(run, 0, sizeof(*run));
}

struct pl_slot *pl_run_add_slot(struct pl_run *run)
{
	void *items = run->slots;
	struct pl_slot *slot = pl_arena_push(&run->arena, &items, &run->slot_count,
					     &run->slot_capacity, sizeof(*slot));

	run->slots = items;
	return slot;
}

struct pl_measurement *pl_run_add_measurement(struct pl_run *run)
{
	void *items = run->measurements;
	struct pl_measurement **place = pl_arena_push(&run->arena, &items, &run->measurement_count,
						      &run->measurement_capacity, sizeof(*place));

	run->measurements = items;
	*place = pl_arena_alloc(&run->arena, sizeof(**place));
	(*place)->id = (unsigned)run->measurement_count;
	return *place;
}

struct pl_effect *pl_run_add_effect(struct pl_run *run)
{
	void *items = run->effects;
	struct pl_effect *effect = pl_arena_push(&run->arena, &items, &run->effect_count,
						 &run->effect_capacity, sizeof(*effect));

	run->effects = items;
	return effect;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void pl_run_warn(struct pl_run *run, const char *code, const char *severity, const char *subject,
		 const char *format, ...)
{
	char message[TEXT_BYTES];
	struct pl_warning *warning;
	void *items = run->warnings;
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	for (size_t i = 0; i < run->warning_count; i++)
		if (is_same(run->warnings[i].code, code) &&
		    is_same(run->warnings[i].subject, subject) &&
		    is_same(run->warnings[i].message, message))
			return;
	warning = pl_arena_push(&run->arena, &items, &run->warning_count, &run->warning_capacity,
				sizeof(*warning));
	run->warnings = items;
	warning->code = pl_arena_strdup(&run->arena, code);
	warning->severity = pl_arena_strdup(&run->arena, severity);
	warning->subject = pl_arena_strdup(&run->arena, subject);
	warning->message = pl_arena_strdup(&run->arena, message);
}

void pl_run_skip(struct pl_run *run, const char *what, const char *why, const char *remedy)
{
	void *items = run->skipped;
	struct pl_skip *skip;

	for (size_t i = 0; i < run->skip_count; i++)
		if (is_same(run->skipped[i].what, what) && is_same(run->skipped[i].why, why))
			return;
	skip = pl_arena_push(&run->arena, &items, &run->skip_count, &run->skip_capacity,
			     sizeof(*skip));
	run->skipped = items;
	skip->what = pl_arena_strdup(&run->arena, what);
	skip->why = pl_arena_strdup(&run->arena, why);
	skip->remedy = pl_arena_strdup(&run->arena, remedy);
}

void pl_measurement_warn(struct pl_run *run, struct pl_measurement *m, const char *format, ...)
{
	char message[TEXT_BYTES];
	void *items = (void *)m->warnings;
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	for (size_t i = 0; i < m->warning_count; i++)
		if (!strcmp(m->warnings[i], message))
			return;
	*(const char **)pl_arena_push(&run->arena, &items, &m->warning_count, &m->warning_capacity,
				      sizeof(char *)) = pl_arena_strdup(&run->arena, message);
	m->warnings = items;
}

const struct pl_fact *pl_measurement_find_fact(const struct pl_measurement *m, const char *name)
{
	for (size_t i = 0; i < m->fact_count; i++)
		if (!strcmp(m->facts[i].name, name))
			return &m->facts[i];
	return NULL;
}

static struct pl_fact *fact_of(struct pl_run *run, struct pl_measurement *m, const char *name)
{
	struct pl_fact *fact = (struct pl_fact *)pl_measurement_find_fact(m, name);
	void *items = m->facts;

	if (fact)
		return fact;
	fact = pl_arena_push(&run->arena, &items, &m->fact_count, &m->fact_capacity, sizeof(*fact));
	m->facts = items;
	fact->name = name;
	return fact;
}

void pl_measurement_set_number(struct pl_run *run, struct pl_measurement *m, const char *name,
			       double value)
{
	struct pl_fact *fact = fact_of(run, m, name);

	fact->value = value;
	fact->text = NULL;
}

void pl_measurement_set_text(struct pl_run *run, struct pl_measurement *m, const char *name,
			     const char *text)
{
	struct pl_fact *fact = fact_of(run, m, name);

	if (!fact->text || strcmp(fact->text, text))
		fact->text = pl_arena_strdup(&run->arena, text);
}

static bool slot_has(const struct pl_slot *slot, struct pl_bdf bdf)
{
	for (size_t i = 0; slot->device && i < slot->device->function_count; i++)
		if (pl_bdf_is_equal(slot->device->functions[i], bdf))
			return true;
	return slot->device && pl_bdf_is_equal(slot->device->bdf, bdf);
}

struct pl_slot *pl_run_find_slot(const struct pl_run *run, struct pl_bdf bdf)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (slot_has(&run->slots[i], bdf))
			return &run->slots[i];
	for (size_t i = 0; i < run->slot_count; i++)
		for (size_t k = 0; k < run->slots[i].path_count; k++)
			if (pl_bdf_is_equal(run->slots[i].path[k], bdf))
				return &run->slots[i];
	return NULL;
}

const char *pl_run_stamp(const struct pl_run *run, char *out, size_t size)
{
	const struct pl_machine *machine = &run->machine;

	if (!machine->is_live && machine->source)
		snprintf(out, size, "NOT LIVE: %s", machine->source);
	else if (machine->hypervisor)
		snprintf(out, size, "VIRTUAL MACHINE (%s)", machine->hypervisor);
	else
		return NULL;
	return out;
}

#define NAME_OF(table, value)                                                                      \
	((size_t)(value) < sizeof(table) / sizeof((table)[0]) && (table)[value] ? (table)[value]   \
										: "unknown")

const char *pl_probe_name(enum pl_probe probe)
{
	static const char *const names[] = {
		[PL_PROBE_CONFIG] = "config", [PL_PROBE_BAR] = "bar", [PL_PROBE_NVME] = "nvme",
		[PL_PROBE_GPU] = "gpu",       [PL_PROBE_NET] = "net", [PL_PROBE_HOST] = "host",
	};

	return NAME_OF(names, probe);
}

const char *pl_gpu_kind_name(enum pl_gpu_kind kind)
{
	static const char *const names[] = {
		[PL_GPU_OTHER] = "other",
		[PL_GPU_DISCRETE] = "discrete",
		[PL_GPU_INTEGRATED] = "integrated",
		[PL_GPU_SOFTWARE] = "software",
	};

	return NAME_OF(names, kind);
}

const char *pl_outcome_name(enum pl_outcome outcome)
{
	static const char *const names[] = {
		[PL_OUTCOME_PENDING] = "pending", [PL_OUTCOME_MEASURED] = "measured",
		[PL_OUTCOME_PARTIAL] = "partial", [PL_OUTCOME_FAILED] = "failed",
		[PL_OUTCOME_SKIPPED] = "skipped",
	};

	return NAME_OF(names, outcome);
}

const char *pl_effect_kind_name(enum pl_effect_kind kind)
{
	static const char *const names[] = {
		[PL_EFFECT_HOP] = "hop",
		[PL_EFFECT_EXIT] = "exit",
		[PL_EFFECT_EXIT_IN_COMMAND] = "exit_in_command",
		[PL_EFFECT_ENTRY_TIMER] = "entry_timer",
		[PL_EFFECT_TAIL] = "tail",
		[PL_EFFECT_CONFIG_STEP] = "config_step",
		[PL_EFFECT_CHAIN] = "chain",
		[PL_EFFECT_PREWOKEN] = "exit_prewoken",
		[PL_EFFECT_APST] = "apst",
	};

	return NAME_OF(names, kind);
}

const char *pl_reference_class_name(enum pl_reference_class reference_class)
{
	static const char *const names[] = {
		[PL_REF_NONE] = "none",
		[PL_REF_SAME_SLOT] = "same_slot",
		[PL_REF_SAME_MODEL] = "same_model",
		[PL_REF_SAME_UNIT] = "same_unit",
	};

	return NAME_OF(names, reference_class);
}

const char *pl_claim_status_name(enum pl_claim_status status)
{
	static const char *const names[] = {
		[PL_CLAIM_NOT_MADE] = "not_made",
		[PL_CLAIM_NOT_RESOLVED] = "not_resolved",
		[PL_CLAIM_RESOLVED] = "resolved",
	};

	return NAME_OF(names, status);
}
