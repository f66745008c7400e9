#ifndef PL_CLI_APP_H
#define PL_CLI_APP_H

#include "cli/exit.h"
#include "cli/options.h"
#include "core/err.h"
#include "core/sysroot.h"
#include "model/run.h"
#include "report/report.h"

/* What every command works on: the options, the machine as a folder, the run that fills up. */
struct pl_app {
	struct pl_options options;
	struct pl_sysroot root;
	struct pl_run run;
	struct pl_text_style style;
	const struct pl_run *const *others; /* for the page's section "compare" */
	size_t other_count;
};

/* Commands on results know no machine: app->run stays empty. */
bool pl_app_needs_machine(const struct pl_options *options);
/* Opens the root and discovers the machine into app->run. Returns an exit code; prints why not. */
enum pl_exit pl_app_open(struct pl_app *app);
void pl_app_close(struct pl_app *app);

/* "pcielat: SENTENCE" on stderr; returns code, so that `return pl_app_fail(…)` works. */
enum pl_exit pl_app_fail(enum pl_exit code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The exit code that belongs to a negative errno. */
enum pl_exit pl_app_exit_code(int rc);
/* Warnings and skips of the run, one paragraph per cause, on stderr. */
void pl_app_print_warnings(const struct pl_app *app);

/* One per command; each returns the exit code. app is open. */
enum pl_exit pl_cmd_none(struct pl_app *app);
enum pl_exit pl_cmd_list(struct pl_app *app);
enum pl_exit pl_cmd_run(struct pl_app *app);
enum pl_exit pl_cmd_trace(struct pl_app *app);
enum pl_exit pl_cmd_doctor(struct pl_app *app);
enum pl_exit pl_cmd_capture(struct pl_app *app);
enum pl_exit pl_cmd_restore(struct pl_app *app);
enum pl_exit pl_cmd_next(struct pl_app *app);
/* These two read results instead of a machine. */
enum pl_exit pl_cmd_report(struct pl_app *app);
enum pl_exit pl_cmd_compare(struct pl_app *app);
enum pl_exit pl_cmd_monitor(struct pl_app *app);

#endif
