#include <stdio.h>

#include "cli/app.h"
#include "cli/output.h"
#include "link/link.h"

enum pl_exit pl_cmd_list(struct pl_app *app)
{
	struct pl_err err = {0, ""};
	int rc = 0;

	if (app->options.aspm_survey && app->options.dump)
		return pl_app_fail(PL_EXIT_USAGE,
				   "--aspm reads the files of a machine or of --sysroot, "
				   "not of --dump");
	if (app->options.aspm_survey)
		rc = pl_link_survey(&app->run, &app->root, &err);
	if (rc)
		return pl_app_fail(pl_app_exit_code(rc), "%s", err.text);
	if (app->options.json)
		rc = pl_output_file(&app->run, app->options.json, pl_report_write_list_json, &err);
	else if (app->options.aspm_survey)
		rc = pl_report_write_aspm(&app->run, &app->style, stdout, &err);
	else if (app->options.tree)
		rc = pl_report_write_tree(&app->run, &app->style, stdout, &err);
	else
		rc = pl_report_write_list(&app->run, &app->style, stdout, &err);
	if (rc)
		return pl_app_fail(pl_app_exit_code(rc), "%s", err.text);
	/* The list has them already. */
	if (app->options.json || app->options.aspm_survey || app->options.tree)
		pl_app_print_warnings(app);
	return PL_EXIT_DONE;
}

/* No argument at all: what there is, and the one command to type next. */
enum pl_exit pl_cmd_none(struct pl_app *app)
{
	enum pl_exit code = pl_cmd_list(app);

	if (code == PL_EXIT_DONE)
		printf("\nNext: %spcielat --all-slots    (see also: pcielat doctor, pcielat "
		       "--help)\n",
		       app->run.machine.is_root ? "" : "sudo ");
	return code;
}
