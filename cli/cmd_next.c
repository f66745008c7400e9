#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/app.h"
#include "cli/measure.h"
#include "core/fmt.h"
#include "report/report.h"
#include "session/select.h"
#include "session/store.h"

/*
 * next: one step of a session that follows a card from slot to slot. Without a session in the
 * folder the first call begins one (--device names the card, --slot the slots in their order,
 * --boots how often each is booted).
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

static const struct pl_slot *find_slot(const struct pl_run *run, const char *name)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (pl_select_slot_matches(&run->slots[i], name))
			return &run->slots[i];
	return NULL;
}

/* A board whose firmware names no slot, or not all: a name may belong to one of those. */
static bool has_nameless(const struct pl_run *run)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (run->slots[i].label_source == PL_LABEL_PATH)
			return true;
	return false;
}

/* --all-slots: those that are empty, and the card's own. */
static int every_slot(const struct pl_app *app, struct pl_store_plan *plan,
		      const struct pl_slot **slots, struct pl_err *err)
{
	for (size_t i = 0; i < app->run.slot_count; i++) {
		const struct pl_slot *slot = &app->run.slots[i];

		if (slot->device == plan->card || (!slot->device && !slot->built_in))
			slots[plan->slot_count++] = slot;
	}
	plan->slots = slots;
	if (plan->slot_count < 2)
		return pl_fail(err, -ENODATA, "there is no other empty slot to move the card to");
	return 0;
}

/* The slots of --slot in that order; a name that no slot has may be found out later. */
static int slots_of(const struct pl_app *app, struct pl_store_plan *plan,
		    const struct pl_slot **slots, struct pl_err *err)
{
	const struct pl_texts *names = &app->options.slots;

	if (!names->count && app->options.all_slots)
		return every_slot(app, plan, slots, err);
	if (names->count < 2)
		return pl_fail(err, -EINVAL,
			       "a session compares slots: name at least two with --slot, in the "
			       "order in which the card will visit them, or --all-slots for "
			       "every empty one");
	for (size_t i = 0; i < names->count; i++) {
		slots[i] = find_slot(&app->run, names->items[i]);
		if (slots[i])
			continue;
		if (!has_nameless(&app->run))
			return pl_select_check_slots(&app->run, "--slot", &names->items[i], 1, err);
		fprintf(stderr,
			"pcielat: no slot is called %s (yet): next asks for it when the card is in "
			"a slot without a name\n",
			names->items[i]);
	}
	plan->slots = slots;
	plan->names = names->items;
	plan->slot_count = names->count;
	return 0;
}

/* --boots N; 0 when it was not given. */
static int boots_of(const struct pl_app *app, unsigned *boots, struct pl_err *err)
{
	const char *text = app->options.boots;
	uint64_t value = 0;

	if (text && (pl_fmt_parse_u64(text, 100, &value) || !value))
		return pl_fail(err, -EINVAL, "--boots %s: not a number from 1 to 100", text);
	*boots = (unsigned)value;
	return 0;
}

static int begin(struct pl_app *app, struct pl_store *store, const char *dir, struct pl_err *err)
{
	const struct pl_slot **slots =
		pl_arena_array(&app->options.arena, app->options.slots.count + app->run.slot_count,
			       sizeof(*slots));
	struct pl_store_plan plan = {.card = card_of(app, err)};
	int rc = plan.card ? slots_of(app, &plan, slots, err) : err->code;

	if (!rc)
		rc = boots_of(app, &plan.boots, err);
	if (!rc && !app->run.machine.is_live)
		rc = pl_fail(err, -ENOTSUP, "a session needs the machine itself, not a capture");
	if (!rc && app->options.dry_run)
		return pl_fail(err, -ECANCELED, "would begin a session in %s: %zu slots", dir,
			       plan.slot_count);
	app->run.started_utc = pl_measure_utc_now(&app->run);
	return rc ? rc : pl_store_create(store, dir, &app->run, &plan, err);
}

/*
 * A finished step whose results cannot be read any more (a torn file system, a full disk) is to be
 * measured again; the others keep what they have.
 */
static void forget_unreadable(struct pl_app *app, struct pl_store *store)
{
	for (size_t i = store->done_count; i-- > 0;) {
		const char *path = pl_arena_printf(&app->options.arena, "%s/results.json",
						   store->done[i].run_dir);
		struct pl_err err = {0, ""};
		struct pl_run run;

		pl_run_init(&run);
		if (pl_report_read(&run, &path, 1, &err)) {
			fprintf(stderr, "pcielat: %s: this boot is to be measured again\n",
				err.text);
			pl_store_forget(store, i);
		}
		pl_run_fini(&run);
	}
}

static int open_session(struct pl_app *app, struct pl_store *store, bool *is_new,
			struct pl_err *err)
{
	const char *dir = app->options.args.count ? app->options.args.items[0] : NULL;
	unsigned allowed = 0;
	int rc;

	if (!dir)
		return pl_fail(err, -EINVAL, "next needs the folder of the session");
	rc = pl_store_open(store, dir, err);
	*is_new = rc == -ENOENT;
	if (*is_new)
		rc = begin(app, store, dir, err);
	else if (!rc)
		forget_unreadable(app, store);
	if (!rc && app->options.allow_change)
		rc = pl_store_parse_allowed(app->options.allow_change, &allowed, err);
	return rc ? rc : pl_store_check(store, &app->run, allowed, err);
}

/* ---- which slot is it ---- */

/* The number or the name that was typed; NULL: nothing of the kind. */
static const char *ask(const struct pl_store *store, const struct pl_slot *at)
{
	char line[256];
	uint64_t number;

	fprintf(stderr, "%s is at %s. Which slot is that on the board?\n",
		store->card_name ? store->card_name : "The card", at->key);
	for (size_t i = 0; i < store->slot_count; i++)
		if (!store->slots[i].key)
			fprintf(stderr, "  [%zu] %s\n", i + 1, store->slots[i].label);
	fputs("> ", stderr);
	if (!fgets(line, sizeof(line), stdin))
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	if (!pl_fmt_parse_u64(line, store->slot_count, &number) && number)
		return store->slots[number - 1].label;
	for (size_t i = 0; i < store->slot_count; i++)
		if (!strcmp(store->slots[i].label, line))
			return store->slots[i].label;
	return NULL;
}

/* A name that the firmware gives, that --slot says, or that is asked for on a terminal. */
static const char *name_of_place(const struct pl_app *app, const struct pl_store *store,
				 const struct pl_store_step *step, bool is_new)
{
	const struct pl_texts *names = &app->options.slots;

	if (!is_new && names->count == 1 && step->at)
		return names->items[0];
	if (step->action != PL_STORE_ASK)
		return NULL;
	for (size_t i = 0; i < store->slot_count; i++)
		if (!store->slots[i].key && pl_select_slot_matches(step->at, store->slots[i].label))
			return store->slots[i].label;
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) ? ask(store, step->at) : NULL;
}

/* Where the card is, with its name: what comes next follows. */
static int locate(struct pl_app *app, struct pl_store *store, struct pl_store_step *step,
		  bool is_new, struct pl_err *err)
{
	const char *name;
	int rc = 0;

	pl_store_next(store, &app->run, step);
	if (app->options.dry_run)
		return 0;
	name = name_of_place(app, store, step, is_new);
	if (name)
		rc = pl_store_place(store, name, step->at->key, err);
	if (!rc && name)
		pl_store_next(store, &app->run, step);
	return rc;
}

/* The name that the session uses, on the slot that is measured. */
static void name_slot(struct pl_run *run, const struct pl_store_slot *planned)
{
	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_slot *slot = &run->slots[i];

		if (strcmp(slot->key, planned->key) != 0 || !strcmp(slot->label, planned->label))
			continue;
		slot->label = pl_arena_strdup(&run->arena, planned->label);
		slot->label_source = PL_LABEL_USER;
	}
}

/* ---- the step ---- */

/* All boots so far in one report, in the session's folder. */
static enum pl_exit merge(const struct pl_app *app, struct pl_store *store)
{
	struct pl_err err = {0, ""};
	const char **paths = pl_arena_array(&store->arena, store->done_count, sizeof(*paths));
	struct pl_html_options page = {.no_charts = app->options.no_charts};
	struct pl_run run;
	int rc;

	for (size_t i = 0; i < store->done_count; i++)
		paths[i] =
			pl_arena_printf(&store->arena, "%s/results.json", store->done[i].run_dir);
	pl_run_init(&run);
	rc = pl_report_read(&run, paths, store->done_count, &err);
	if (!rc && app->options.lang)
		rc = pl_report_lang(app->options.lang, &page.lang, &err);
	if (!rc)
		rc = pl_report_attribute(&run, &err);
	if (!rc)
		rc = pl_report_write_dir(&run, store->dir, &page, &err);
	pl_run_fini(&run);
	if (rc)
		return pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text);
	printf("the report of the session: %s/report.html (%zu of %zu steps)\n", store->dir,
	       store->done_count, store->slot_count * store->boots);
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
	o->args = (struct pl_texts){.items = NULL};
	o->out_dir = pl_store_run_dir(store);
	name_slot(&app->run, step->slot);
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
	if (store->done_count && merge(app, store) != PL_EXIT_DONE)
		return PL_EXIT_INTERNAL;
	return step.action == PL_STORE_DONE ? code : PL_EXIT_MOVE_CARD;
}

static enum pl_exit refuse(int rc, const struct pl_err *err)
{
	bool is_mismatch = rc == -ESTALE || rc == -EEXIST;

	if (rc == -ECANCELED) {
		printf("%s\ndry run: nothing was measured, changed or written\n", err->text);
		return PL_EXIT_DONE;
	}
	return pl_app_fail(is_mismatch ? PL_EXIT_MISMATCH : pl_app_exit_code(rc), "%s", err->text);
}

enum pl_exit pl_cmd_next(struct pl_app *app)
{
	struct pl_store store = {.dir = NULL};
	struct pl_store_step step;
	struct pl_err err = {0, ""};
	bool is_new = false;
	int rc = open_session(app, &store, &is_new, &err);
	enum pl_exit code = PL_EXIT_DONE;

	if (!rc)
		rc = locate(app, &store, &step, is_new, &err);
	if (rc) {
		pl_store_close(&store);
		return refuse(rc, &err);
	}
	if (app->options.dry_run) {
		printf("%s\ndry run: nothing was measured, changed or written\n", step.sentence);
		pl_store_close(&store);
		return PL_EXIT_DONE;
	}
	if (step.action == PL_STORE_MEASURE) {
		printf("%s\n", step.sentence);
		fflush(stdout);
		code = measure(app, &store, &step);
	}
	if (code == PL_EXIT_DONE || code == PL_EXIT_INVALID)
		code = conclude(app, &store, code);
	pl_store_close(&store);
	return code;
}
