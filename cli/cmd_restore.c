#include <errno.h>
#include <stdio.h>

#include "cli/app.h"
#include "link/link.h"

enum pl_exit pl_cmd_restore(struct pl_app *app)
{
	struct pl_link_repair repair;
	struct pl_err err = {0, ""};
	int rc = pl_link_repair(&app->root, NULL, &repair, &err);

	if (rc == -EBUSY) /* its own restore is to come */
		return pl_app_fail(PL_EXIT_REFUSED, "%s", err.text);
	if (rc)
		return pl_app_fail(pl_app_exit_code(rc), "%s", err.text);
	printf("%s\n", repair.text);
	return PL_EXIT_DONE;
}
