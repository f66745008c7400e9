#ifndef PL_CLI_OPTIONS_H
#define PL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"

enum pl_command {
	PL_CMD_NONE, /* no argument at all: say what can be done */
	PL_CMD_RUN,
	PL_CMD_LIST,
	PL_CMD_TRACE,
	PL_CMD_DOCTOR,
	PL_CMD_CAPTURE,
	PL_CMD_RESTORE,
	PL_CMD_REPORT,
	PL_CMD_COMPARE,
	PL_CMD_MONITOR,
	PL_CMD_NEXT,
	PL_CMD_COUNT,
};

enum pl_when { PL_WHEN_AUTO, PL_WHEN_ALWAYS, PL_WHEN_NEVER };

/* A repeated option or the positional arguments. */
struct pl_texts {
	const char **items;
	size_t count, capacity;
};

/* argv, as it was meant. NULL text: not given. Text is borrowed from argv. */
struct pl_options {
	enum pl_command command;
	struct pl_arena arena;
	/* the machine */
	const char *sysroot, *dump, *board_file;
	struct pl_texts labels;
	/* what to measure */
	bool all_slots;
	struct pl_texts slots, devices, probes;
	struct pl_texts gpus; /* parsed into devices and probes */
	const char *file;
	const char *chase_memory; /* where a GPU chase lies instead of host memory */
	bool quick, thorough;
	/* how */
	int clock;             /* enum pl_clock_choice */
	const char *nvme_path; /* a software path of nvme_probe; NULL: the best that works */
	struct pl_texts gaps;
	const char *interval, *duration; /* of monitor */
	bool hold_links;
	bool no_gaps;
	int aspm;         /* enum pl_link_mode */
	bool aspm_survey; /* list --aspm */
	const char *seed, *cpu, *precision;
	bool allow_virtual, dry_run;
	/* what comes out */
	const char *out_dir, *json, *csv, *html, *hgrm, *markdown, *openmetrics, *lang;
	bool no_charts;
	struct pl_texts compared; /* other results for the page */
	const char *fail_over;    /* compare: a time */
	const char *boots;        /* next: per slot */
	const char *allow_change; /* next: what may differ from the session's beginning */
	bool tree, quiet;
	int color, progress; /* enum pl_when */
	bool ascii;
	struct pl_texts args; /* positional */
};

/*
 * Parses argv: the command is the first word when that word is not an option, and "run" otherwise.
 * --help and --version print and exit 0; a mistake prints one sentence and exits 2 (argp's way).
 * -ENOMEM and friends do not happen (the arena aborts).
 */
void pl_options_parse(struct pl_options *options, int argc, char **argv);
void pl_options_fini(struct pl_options *options);

const char *pl_command_name(enum pl_command command);

#endif
