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

void fx_hostile(struct pl_run *run)
{
	unsigned at = 0;

	fx_am5(run);
	spoil_machine(run, &at);
	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_slot *s = &run->slots[i];
		struct pl_device *device = (struct pl_device *)s->device;

		s->label = evil(run, &at);
		s->label_note = evil(run, &at);
		s->chipset = s->chipset ? evil(run, &at) : NULL;
		s->reason = evil(run, &at);
		for (size_t k = 0; k < s->via_count; k++)
			((struct pl_via *)s->via)[k].name = evil(run, &at);
		if (!device)
			continue;
		device->name = evil(run, &at);
		device->model = evil(run, &at);
		device->driver = evil(run, &at);
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
