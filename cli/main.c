#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app.h"

static enum pl_exit (*const table[PL_CMD_COUNT])(struct pl_app *app) = {
	[PL_CMD_NONE] = pl_cmd_none,       [PL_CMD_RUN] = pl_cmd_run,
	[PL_CMD_LIST] = pl_cmd_list,       [PL_CMD_TRACE] = pl_cmd_trace,
	[PL_CMD_DOCTOR] = pl_cmd_doctor,   [PL_CMD_RESTORE] = pl_cmd_restore,
	[PL_CMD_REPORT] = pl_cmd_report,   [PL_CMD_COMPARE] = pl_cmd_compare,
	[PL_CMD_CAPTURE] = pl_cmd_capture, [PL_CMD_MONITOR] = pl_cmd_monitor,
	[PL_CMD_NEXT] = pl_cmd_next,
};

/*
 * The last of what was printed is written when the program ends, whoever ends it (--help does so
 * itself). A full disk must not look like a success.
 */
static void end_output(int status, void *unused)
{
	(void)unused;
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && !status) {
		fprintf(stderr, "pcielat: the output could not be written: %s\n",
			errno ? strerror(errno) : "part of it was lost before");
		_exit(PL_EXIT_INTERNAL);
	}
}

int main(int argc, char **argv)
{
	char *command = argc > 1 ? argv[1] : NULL;
	struct pl_app app;
	enum pl_exit code;

	on_exit(end_output, NULL);
	memset(&app, 0, sizeof(app));
	pl_options_parse(&app.options, argc,
			 argv); /* gives argp the command as the program's name */
	if (argc > 1)
		argv[1] = command;
	code = pl_app_open(&app);
	if (pl_app_needs_machine(&app.options)) {
		app.run.argv = (const char *const *)argv;
		app.run.argc = (size_t)argc;
	}
	if (code == PL_EXIT_DONE)
		code = table[app.options.command](&app);
	pl_app_close(&app);
	return (int)code;
}
