#include "session/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The pure half of a session: is this the same machine, where is the card, what comes next. */

const char *pl_fingerprint_name(enum pl_fingerprint field)
{
	static const char *const names[PL_FP_COUNT] = {
		[PL_FP_BOARD] = "board",
		[PL_FP_BIOS] = "bios",
		[PL_FP_CPU] = "cpu",
		[PL_FP_MICROCODE] = "microcode",
		[PL_FP_KERNEL] = "kernel",
		[PL_FP_CMDLINE] = "cmdline",
		[PL_FP_POLICY] = "aspm-policy",
		[PL_FP_IOMMU] = "iommu",
		[PL_FP_GOVERNOR] = "governor",
		[PL_FP_DRIVER] = "driver",
	};

	return names[field];
}

void pl_store_fingerprint(const struct pl_run *run, const struct pl_device *card,
			  const char *fields[PL_FP_COUNT])
{
	const struct pl_machine *m = &run->machine;

	fields[PL_FP_BOARD] = m->board_name;
	fields[PL_FP_BIOS] = m->bios_version;
	fields[PL_FP_CPU] = m->cpu;
	fields[PL_FP_MICROCODE] = m->microcode;
	fields[PL_FP_KERNEL] = m->kernel;
	fields[PL_FP_CMDLINE] = m->kernel_cmdline;
	fields[PL_FP_POLICY] = m->aspm_policy;
	fields[PL_FP_IOMMU] = m->iommu;
	fields[PL_FP_GOVERNOR] = m->governor;
	fields[PL_FP_DRIVER] = card ? card->driver : NULL;
}

int pl_store_parse_allowed(const char *text, unsigned *allowed, struct pl_err *err)
{
	*allowed = 0;
	while (*text) {
		size_t length = strcspn(text, ",");
		unsigned k = 0;

		while (k < PL_FP_COUNT && (strlen(pl_fingerprint_name(k)) != length ||
					   strncmp(pl_fingerprint_name(k), text, length)))
			k++;
		if (k == PL_FP_COUNT)
			return pl_fail(err, -EINVAL,
				       "--allow-change: no such thing: %.*s (there are board, "
				       "bios, cpu, microcode, kernel, cmdline, aspm-policy, "
				       "iommu, governor, driver)",
				       (int)length, text);
		*allowed |= 1u << k;
		text += length;
		text += *text == ',';
	}
	return 0;
}

int pl_store_check(const struct pl_store *store, struct pl_run *run, unsigned allowed,
		   struct pl_err *err)
{
	const struct pl_slot *slot = pl_store_find_card(store, run);
	const char *now[PL_FP_COUNT];

	pl_store_fingerprint(run, slot ? slot->device : NULL, now);
	for (unsigned k = 0; k < PL_FP_COUNT; k++) {
		const char *then = store->fingerprint[k];

		if (!then || !now[k] || !strcmp(then, now[k]))
			continue;
		if (!(allowed & (1u << k)))
			return pl_fail(err, -ESTALE,
				       "the %s changed since the session began (%.120s, now "
				       "%.120s): results before and after do not belong together. "
				       "Begin a new session, or go on with --allow-change %s",
				       pl_fingerprint_name(k), then, now[k],
				       pl_fingerprint_name(k));
		pl_run_warn(run, "W-CHANGED", "warning", pl_fingerprint_name(k),
			    "changed since the session began: %.120s, now %.120s", then, now[k]);
	}
	return 0;
}

static bool has_ids(const struct pl_device *device, const char *ids)
{
	char text[16];

	snprintf(text, sizeof(text), "%04x:%04x", device->vendor_id, device->device_id);
	return ids && !strcmp(text, ids);
}

const struct pl_slot *pl_store_find_card(const struct pl_store *store, const struct pl_run *run)
{
	const struct pl_slot *by_ids = NULL;
	size_t same = 0;

	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_slot *slot = &run->slots[i];

		if (!slot->device || !has_ids(slot->device, store->card_ids))
			continue;
		if (store->card_unit && slot->device->unit_hash) {
			if (!strcmp(slot->device->unit_hash, store->card_unit))
				return slot;
			continue;
		}
		by_ids = slot;
		same++;
	}
	return same == 1 ? by_ids : NULL;
}

static bool has_boot(const struct pl_store *store, const struct pl_store_slot *slot,
		     const char *boot_id)
{
	for (size_t i = 0; boot_id && i < store->done_count; i++)
		if (&store->slots[store->done[i].slot] == slot &&
		    !strcmp(store->done[i].boot_id, boot_id))
			return true;
	return false;
}

static const struct pl_store_slot *planned(const struct pl_store *store, const struct pl_slot *slot)
{
	for (size_t i = 0; slot && i < store->slot_count; i++)
		if (store->slots[i].key && !strcmp(store->slots[i].key, slot->key))
			return &store->slots[i];
	return NULL;
}

static const struct pl_store_slot *unfinished(const struct pl_store *store)
{
	for (size_t i = 0; i < store->slot_count; i++)
		if (store->slots[i].done < store->boots)
			return &store->slots[i];
	return NULL;
}

static const char *card_of(const struct pl_store *store)
{
	return store->card_name ? store->card_name : "the card";
}

static const char *move_sentence(struct pl_store *store, const struct pl_slot *now,
				 const struct pl_store_slot *to)
{
	if (!now)
		return pl_arena_printf(&store->arena,
				       "%s is in no slot of this machine: power off, put it into "
				       "%s, boot, and run: pcielat next %s",
				       card_of(store), to->label, store->dir);
	return pl_arena_printf(&store->arena,
			       "%s is in %s: power off, move it to %s, boot, and run: pcielat next "
			       "%s",
			       card_of(store), now->label ? now->label : now->key, to->label,
			       store->dir);
}

/* "M.2_2, M.2_3": names whose place is not known; NULL when there is none. */
static const char *unplaced(struct pl_store *store)
{
	const char *names = NULL;

	for (size_t i = 0; i < store->slot_count; i++)
		if (!store->slots[i].key)
			names = pl_arena_printf(&store->arena, "%s%s%s", names ? names : "",
						names ? ", " : "", store->slots[i].label);
	return names;
}

static const char *ask_sentence(struct pl_store *store, const struct pl_slot *now,
				const char *names)
{
	return pl_arena_printf(&store->arena,
			       "%s is at %s, and the firmware does not say which slot that is: "
			       "run pcielat next %s --slot NAME with its name on the board (%s)",
			       card_of(store), now->key, store->dir, names);
}

static const char *here_sentence(struct pl_store *store, const struct pl_store_slot *here,
				 bool is_measured)
{
	if (!is_measured)
		return pl_arena_printf(&store->arena, "measuring %s, boot %u of %u", here->label,
				       here->done + 1, store->boots);
	return pl_arena_printf(&store->arena,
			       "%s has %u of %u boots: boot again, leave the card where it is, and "
			       "run: pcielat next %s",
			       here->label, here->done, store->boots, store->dir);
}

void pl_store_next(struct pl_store *store, const struct pl_run *run, struct pl_store_step *step)
{
	const struct pl_slot *now = pl_store_find_card(store, run);
	const struct pl_store_slot *here = planned(store, now), *next = unfinished(store);
	const char *names = now && !here ? unplaced(store) : NULL;

	*step = (struct pl_store_step){.at = now};
	if (!next) {
		step->action = PL_STORE_DONE;
		step->sentence = pl_arena_printf(&store->arena,
						 "all %zu slots are measured, %u "
						 "boot%s each",
						 store->slot_count, store->boots,
						 store->boots == 1 ? "" : "s");
	} else if (here && here->done < store->boots) {
		bool is_measured = has_boot(store, here, run->machine.boot_id);

		step->action = is_measured ? PL_STORE_REBOOT : PL_STORE_MEASURE;
		step->slot = here;
		step->sentence = here_sentence(store, here, is_measured);
	} else if (names) {
		step->action = PL_STORE_ASK;
		step->sentence = ask_sentence(store, now, names);
	} else {
		step->action = PL_STORE_MOVE;
		step->slot = next;
		step->sentence = move_sentence(store, now, next);
	}
}
