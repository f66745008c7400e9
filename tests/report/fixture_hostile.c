#include "tests/report/fixture.h"

#include <string.h>

const char *const fx_hostile_texts[] = {
	"</script><script>document.title='owned'</script>",
	"\"><img src=x onerror=alert(1)>",
	"=cmd|' /C calc'!A0",
	"@SUM(1+1)*cmd|' /C calc'!A0",
	"right\u202eto\u202cleft\u2066marks\u200f",
	"bad \xff\xc0\x80 utf-8 \xed\xa0\x80",
	"\033[31mred\033[0m\x07 bell\r\nnew,line",
	"| pipe | `code` **bold** [link](http://example.invalid) <b>",
	"\xe4\xb8\xad\xe6\x96\x87\xe6\x8f\x92\xe6\xa7\xbd",
};
const unsigned fx_hostile_count = sizeof(fx_hostile_texts) / sizeof(fx_hostile_texts[0]);

static const char *evil(struct pl_run *run, unsigned *at)
{
	const char *text = fx_hostile_texts[(*at)++ % fx_hostile_count];

	if (*at % 7)
		return text;
	/* Every seventh is 10 kB long. */
	char *big = pl_arena_alloc(&run->arena, 10241);

	for (size_t i = 0; i < 10240; i++)
		big[i] = text[i % strlen(text)];
	return big;
}

static void spoil_machine(struct pl_run *run, unsigned *at)
{
	struct pl_machine *m = &run->machine;
	const char **const fields[] = {&m->board_vendor, &m->board_name,     &m->board_version,
				       &m->bios_vendor,  &m->bios_version,   &m->bios_date,
				       &m->cpu,          &m->microcode,      &m->os,
				       &m->kernel,       &m->kernel_cmdline, &m->aspm_policy,
				       &m->iommu,        &m->governor,       &m->lockdown,
				       &run->cstates};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		*fields[i] = evil(run, at);
}

static const char *const *evil_list(struct pl_run *run, unsigned *at, size_t count)
{
	const char **texts = pl_arena_array(&run->arena, count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = evil(run, at);
	return texts;
}

static void spoil_run(struct pl_run *run, unsigned *at)
{
	run->argv = evil_list(run, at, 4);
	run->argc = 4;
	run->session_id = evil(run, at);
	run->memory_lock = evil(run, at);
	run->clock.reason = evil(run, at);
	for (size_t i = 0; i < run->gpu_count; i++) {
		run->gpus[i].name = evil(run, at);
		run->gpus[i].driver = evil(run, at);
		run->gpus[i].no_path_reason = evil(run, at);
	}
}

/* A results file is somebody else's text too. */
static void spoil_series(struct pl_run *run, unsigned *at)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];

		m->subject = evil(run, at);
		m->conditions.path = evil(run, at);
		m->conditions.path_reason = evil(run, at);
		m->conditions.memory = i % 3 ? m->conditions.memory : evil(run, at);
		if (i % 5 == 4)
			m->metric = evil(run, at);
		if (i % 4 == 3)
			m->conditions.state = evil(run, at);
		if (m->why)
			m->why = evil(run, at);
		pl_measurement_warn(run, m, "%s", evil(run, at));
	}
}

unsigned fx_hostile_first;

void fx_hostile(struct pl_run *run)
{
	unsigned at = fx_hostile_first;

	fx_am5(run);
	spoil_machine(run, &at);
	spoil_run(run, &at);
	spoil_series(run, &at);
	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_slot *s = &run->slots[i];
		struct pl_device *device = (struct pl_device *)s->device;

		s->label = evil(run, &at);
		s->label_note = evil(run, &at);
		s->chipset = s->chipset ? evil(run, &at) : NULL;
		s->reason = evil(run, &at);
		s->neutral_name = evil(run, &at);
		s->warnings = evil_list(run, &at, 1);
		s->warning_count = 1;
		for (size_t k = 0; k < s->via_count; k++)
			((struct pl_via *)s->via)[k].name = evil(run, &at);
		if (!device)
			continue;
		device->name = evil(run, &at);
		device->model = evil(run, &at);
		device->driver = evil(run, &at);
		device->class_name = evil(run, &at);
		device->unit_hash = evil(run, &at);
	}
	run->drives[0].firmware = evil(run, &at);
	run->drives[0].mounted_at = evil(run, &at);
	for (unsigned i = 0; i < fx_hostile_count; i++) {
		pl_run_warn(run, "W-SMBIOS", "warning", evil(run, &at), "%s", evil(run, &at));
		pl_run_skip(run, evil(run, &at), evil(run, &at), evil(run, &at));
		run->effects[0].sentence = evil(run, &at);
		fx_unclaimed(run, PL_EFFECT_TAIL, 0, PL_CLAIM_NOT_MADE, evil(run, &at));
	}
}
