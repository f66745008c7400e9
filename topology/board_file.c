#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ini.h>

#include "topology/labels.h"

struct reading {
	struct pl_run *run;
	const char *file;
	bool is_other_board;
};

static void check_board(struct reading *r, const char *name)
{
	const char *board = r->run->machine.board_name;

	if (!board || strcmp(board, name) == 0)
		return;
	r->is_other_board = true;
	pl_run_warn(r->run, "W-BOARD-FILE", "warning", NULL,
		    "%s is for the board %s, this is %s: its names are not used", r->file, name,
		    board);
}

static void name_slot(struct reading *r, const char *name, const char *key)
{
	struct pl_slot *slot = pl_labels_find(r->run, key);

	if (!slot)
		pl_run_warn(r->run, "W-BOARD-FILE", "warning", NULL,
			    "%s: %s = %s names no slot of this machine, or several", r->file, name,
			    key);
	else
		pl_label_set(slot, pl_arena_strdup(&r->run->arena, name), PL_LABEL_BOARD_FILE);
}

/* inih calls this for each pair; 0 stops with the line number. */
static int on_pair(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;

	if (strcmp(section, "board") == 0) {
		if (strcmp(name, "name") == 0)
			check_board(r, value);
		return strcmp(name, "name") == 0 || strcmp(name, "vendor") == 0;
	}
	if (strcmp(section, "slots") != 0)
		return 0;
	if (!r->is_other_board)
		name_slot(r, name, value);
	return 1;
}

int pl_board_file_apply(struct pl_run *run, const char *file, struct pl_err *err)
{
	struct reading r = {run, file, false};
	int line = ini_parse(file, on_pair, &r);

	if (line == -1)
		return pl_fail(err, -ENOENT, "--board-file %s: %s", file, strerror(errno));
	if (line < 0)
		return pl_fail(err, -ENOMEM, "--board-file %s: out of memory", file);
	if (line > 0)
		return pl_fail(err, -EINVAL,
			       "--board-file %s, line %d: wanted [board] name, vendor or [slots] "
			       "NAME = KEY",
			       file, line);
	return 0;
}
