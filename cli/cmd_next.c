#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/app.h"
#include "core/fmt.h"
#include "report/report.h"
#include "session/select.h"
#include "session/store.h"

/*
 * next: one step of a session that follows a card from slot to slot. Without a session in the
 * folder the first call begins one (--device names the card, --slot the slots in their order).
 */

static const struct pl_device *card_of(const struct pl_app *app, struct pl_err *err)
{
	const struct pl_texts *names = &app->options.devices;

	if (names->count != 1) {
		pl_fail(err, -EINVAL, "there is no session yet: name its card with --device");
		return NULL;
	}
	if (pl_select_check_devices(&app->run, "--device", names->items, 1, err))
		return NULL;
	for (size_t i = 0; i < app->run.slot_count; i++)
		if (pl_select_device_matches(&app->run.slots[i], names->items[0]))
			return app->run.slots[i].device;
	pl_fail(err, -ENOENT, "--device %s sits in no slot", names->items[0]);
	return NULL;
}

/* The slots of --slot in that order. */
static int slots_of(const struct pl_app *app, const struct pl_slot **slots, size_t *count,
		    struct pl_err *err)
{
	const struct pl_texts *names = &app->options.slots;
	int rc = pl_select_check_slots(&app->run, "--slot", names->items, names->count, err);

	*count = 0;
	for (size_t k = 0; !rc && k < names->count; k++)
		for (size_t i = 0; i < app->run.slot_count; i++)
			if (pl_select_slot_matches(&app->run.slots[i], names->items[k])) {
				slots[(*count)++] = &app->run.slots[i];
				break;
			}
	if (!rc && *count < 2)
		rc = pl_fail(err, -EINVAL,
			     "a session compares slots: name at least two with --slot, in the "
			     "order in which the card will visit them");
	return rc;
}

static int begin(struct pl_app *app, struct pl_store *store, const char *dir, struct pl_err *err)
{
	const struct pl_slot **slots =
		pl_arena_array(&app->options.arena, app->options.slots.count, sizeof(*slots));
	struct pl_store_plan plan = {.slots = slots, .card = card_of(app, err)};
	int rc = plan.card ? slots_of(app, slots, &plan.slot_count, err) : err->code;

	if (!rc && !app->run.machine.is_live)
		rc = pl_fail(err, -ENOTSUP, "a session needs the machine itself, not a capture");
	return rc ? rc : pl_store_create(store, dir, &app->run, &plan, err);
}

static int open_session(struct pl_app *app, struct pl_store *store, struct pl_err *err)
{
	const char *dir = app->options.args.count ? app->options.args.items[0] : NULL;
	unsigned allowed = 0;
	int rc;

	if (!dir)
		return pl_fail(err, -EINVAL, "next needs the folder of the session");
	rc = pl_store_open(store, dir, err);
	if (rc == -ENOENT)
		rc = begin(app, store, dir, err);
	if (!rc && app->options.allow_change)
		rc = pl_store_parse_allowed(app->options.allow_change, &allowed, err);
	return rc ? rc : pl_store_check(store, &app->run, allowed, err);
}

/* All boots in one report, in the session's folder. */
static enum pl_exit merge(struct pl_store *store)
{
	struct pl_err err = {0, ""};
	const char **paths = pl_arena_array(&store->arena, store->run_dir_count, sizeof(*paths));
	struct pl_run run;
	int rc;

	for (size_t i = 0; i < store->run_dir_count; i++)
		paths[i] = pl_arena_printf(&store->arena, "%s/results.json", store->run_dirs[i]);
	pl_run_init(&run);
	rc = pl_report_read(&run, paths, store->run_dir_count, &err);
	if (!rc)
		rc = pl_report_attribute(&run, &err);
	if (!rc)
		rc = pl_report_write_dir(&run, store->dir, NULL, &err);
	pl_run_fini(&run);
	if (rc)
		return pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text);
	printf("the report of the session: %s/report.html\n", store->dir);
	return PL_EXIT_DONE;
}

/* The step's own results are in their folder before the journal says so. */
static enum pl_exit measure(struct pl_app *app, struct pl_store *store,
			    const struct pl_store_step *step)
{
	struct pl_options *o = &app->options;
	const char **slot = pl_arena_array(&o->arena, 1, sizeof(*slot));
	struct pl_err err = {0, ""};
	enum pl_exit code;

	slot[0] = step->slot->key;
	o->slots = (struct pl_texts){.items = slot, .count = 1};
	o->devices = (struct pl_texts){.items = NULL};
	o->out_dir = pl_store_run_dir(store);
	code = pl_cmd_run(app);
	if (code != PL_EXIT_DONE && code != PL_EXIT_INVALID)
		return code;
	if (pl_store_finish(store, step->slot->key, app->run.machine.boot_id, &err))
		return pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text);
	return code;
}

static enum pl_exit conclude(struct pl_app *app, struct pl_store *store, enum pl_exit code)
{
	struct pl_store_step step;

	pl_store_next(store, &app->run, &step);
	printf("\n%s\n", step.sentence);
	if (step.action != PL_STORE_DONE)
		return PL_EXIT_MOVE_CARD;
	return merge(store) == PL_EXIT_DONE ? code : PL_EXIT_INTERNAL;
}

enum pl_exit pl_cmd_next(struct pl_app *app)
{
	struct pl_store store = {.dir = NULL};
	struct pl_store_step step;
	struct pl_err err = {0, ""};
	int rc = open_session(app, &store, &err);
	enum pl_exit code = PL_EXIT_DONE;

	if (rc) {
		pl_store_close(&store);
		return pl_app_fail(rc == -ESTALE ? PL_EXIT_MISMATCH : pl_app_exit_code(rc), "%s",
				   err.text);
	}
	pl_store_next(&store, &app->run, &step);
	if (step.action == PL_STORE_MEASURE) {
		printf("%s\n", step.sentence);
		code = measure(app, &store, &step);
	}
	if (code == PL_EXIT_DONE || code == PL_EXIT_INVALID)
		code = conclude(app, &store, code);
	pl_store_close(&store);
	return code;
}
