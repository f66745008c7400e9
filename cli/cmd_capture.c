#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/app.h"
#include "cli/output.h"
#include "topology/capture.h"

static const char *default_name(struct pl_run *run)
{
	time_t now = time(NULL);
	struct tm utc;
	char date[16];

	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &utc));
	return pl_output_safe_name(
		pl_arena_printf(&run->arena, "pcielat-capture-%.60s-%s.tar.zst",
				run->machine.board_name ? run->machine.board_name : "board", date));
}

enum pl_exit pl_cmd_capture(struct pl_app *app)
{
	const char *file = app->options.out_dir ? app->options.out_dir : default_name(&app->run);
	struct pl_err err = {0, ""};
	int rc;

	if (app->run.machine.is_live || app->options.sysroot)
		rc = pl_capture_write(&app->root, file, &app->run, &err);
	else
		return pl_app_fail(PL_EXIT_REFUSED, "a dump cannot be captured");
	if (rc)
		return pl_app_fail(pl_app_exit_code(rc), "%s", err.text);
	pl_app_print_warnings(app);
	if (strcmp(file, "-"))
		printf("%s: topology of this machine, serial numbers removed; unpack it and use "
		       "list --sysroot\n",
		       file);
	return PL_EXIT_DONE;
}
