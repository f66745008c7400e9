#include "cli/options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/output.h"
#include "core/clock.h"
#include "model/run.h"

enum kind { KIND_FLAG, KIND_TEXT, KIND_LIST, KIND_CHOICE };

#define ON(command) (1u << (command))
#define ON_MACHINE                                                                                 \
	(ON(PL_CMD_MONITOR) | ON(PL_CMD_NEXT) | ON(PL_CMD_RUN) | ON(PL_CMD_LIST) |                 \
	 ON(PL_CMD_TRACE) | ON(PL_CMD_DOCTOR) | ON(PL_CMD_CAPTURE))
#define ON_MEASURE (ON(PL_CMD_RUN) | ON(PL_CMD_TRACE) | ON(PL_CMD_NEXT))
#define ON_RUNS (ON(PL_CMD_RUN) | ON(PL_CMD_NEXT))
#define ON_REPORT (ON(PL_CMD_RUN) | ON(PL_CMD_REPORT))
#define ON_PRINT (ON_MACHINE | ON(PL_CMD_REPORT) | ON(PL_CMD_COMPARE))
#define AT(field) offsetof(struct pl_options, field)

struct spec {
	const char *name;
	int key; /* a letter, or 0: the table index gives one */
	const char *arg;
	enum kind kind;
	size_t at;
	unsigned commands;
	const char *doc;
	const char *const *choices; /* NULL-terminated; the value is the index */
	const char *if_bare;        /* the value when the argument is optional and absent */
};

static const char *const clock_choices[] = {"auto", "tsc", "raw", NULL};
static const char *const when_choices[] = {"auto", "always", "never", NULL};
/* In the order of enum pl_link_mode. */
static const char *const aspm_choices[] = {"auto", "off", "raise", NULL};

/* One line per option: the only list of them. */
static const struct spec specs[] = {
	{"all-slots", 'a', NULL, KIND_FLAG, AT(all_slots), ON_MEASURE,
	 "measure every populated slot", NULL, NULL},
	{"slot", 's', "NAME", KIND_LIST, AT(slots), ON_MEASURE,
	 "only this slot: its label, key or BDF (repeat for more)", NULL, NULL},
	{"device", 'd', "NAME", KIND_LIST, AT(devices), ON_MEASURE,
	 "only this device: a BDF, nvme0n1 or gpu0 (repeat for more)", NULL, NULL},
	{"gpu", 0, "N|BDF", KIND_LIST, AT(gpus), ON_RUNS,
	 "only this GPU, and by the GPU probe alone: its number or BDF (repeat for more)", NULL,
	 NULL},
	{"probe", 'p', "NAME", KIND_LIST, AT(probes), ON_RUNS,
	 "only these probes: config, bar, nvme, gpu (comma separated, or repeat)", NULL, NULL},
	{"file", 0, "PATH", KIND_TEXT, AT(file), ON(PL_CMD_RUN),
	 "measure reads of a regular file or block device, read-only", NULL, NULL},
	{"chase-memory", 0, "FILE", KIND_TEXT, AT(chase_memory), ON(PL_CMD_RUN),
	 "GPU: chase in this file (a BAR that no driver uses) instead of host memory; stamped",
	 NULL, NULL},
	{"quick", 'q', NULL, KIND_FLAG, AT(quick), ON_MEASURE,
	 "fewer samples: about 1/8 of the time", NULL, NULL},
	{"thorough", 0, NULL, KIND_FLAG, AT(thorough), ON_MEASURE, "more samples and more blocks",
	 NULL, NULL},
	{"clock", 0, "auto|tsc|raw", KIND_CHOICE, AT(clock), ON_MEASURE | ON(PL_CMD_MONITOR),
	 "auto: the TSC when it is invariant, else CLOCK_MONOTONIC_RAW", clock_choices, NULL},
	{"nvme-path", 0, "NAME", KIND_TEXT, AT(nvme_path), ON_RUNS | ON(PL_CMD_MONITOR),
	 "software path of NVMe reads instead of the best that works: io_uring-iopoll, …, pread",
	 NULL, NULL},
	{"gap", 'g', "TIME", KIND_LIST, AT(gaps), ON_RUNS,
	 "idle gap before each access: 40us, 1ms (comma separated; default: 1 us … 10 ms)", NULL,
	 NULL},
	{"no-gaps", 0, NULL, KIND_FLAG, AT(no_gaps), ON_RUNS,
	 "continuous traffic only: no idle gaps, no exit latencies", NULL, NULL},
	{"precision", 0, "PERCENT", KIND_TEXT, AT(precision), ON_RUNS,
	 "go on until claims are this precise or out of reach (default: hops 1, exits 5; never "
	 "finer than 5 ns)",
	 NULL, NULL},
	{"aspm", 0, "auto|off|raise", KIND_CHOICE, AT(aspm), ON_RUNS,
	 "auto: as found and less, restored afterwards; off: change nothing; raise: also what the "
	 "firmware left off (leaves marks until reboot)",
	 aspm_choices, NULL},
	{"aspm", 0, NULL, KIND_FLAG, AT(aspm_survey), ON(PL_CMD_LIST),
	 "every link instead: states supported and enabled at both ends, timings, doubts", NULL,
	 NULL},
	{"seed", 0, "N", KIND_TEXT, AT(seed), ON_MEASURE,
	 "seed of the random orders (default: from the clock, printed in the results)", NULL, NULL},
	{"interval", 0, "TIME", KIND_TEXT, AT(interval), ON(PL_CMD_MONITOR),
	 "time between two ticks (default: 10ms)", NULL, NULL},
	{"duration", 0, "TIME", KIND_TEXT, AT(duration), ON(PL_CMD_MONITOR),
	 "how long to watch (default: until Ctrl-C)", NULL, NULL},
	{"hold-links", 0, NULL, KIND_FLAG, AT(hold_links), ON(PL_CMD_MONITOR),
	 "a third of the time each: links as found, held in L0, as found (root)", NULL, NULL},
	{"hgrm", 0, "FILE", KIND_TEXT, AT(hgrm), ON(PL_CMD_MONITOR),
	 "write the percentile distribution for HdrHistogram's plotter", NULL, NULL},
	{"cpu", 0, "N", KIND_TEXT, AT(cpu), ON_MEASURE | ON(PL_CMD_MONITOR),
	 "measure on this CPU (default: one that is local to the device)", NULL, NULL},
	{"allow-virtual", 0, NULL, KIND_FLAG, AT(allow_virtual), ON_MEASURE,
	 "make verdicts under a hypervisor too; every output is stamped", NULL, NULL},
	{"dry-run", 'n', NULL, KIND_FLAG, AT(dry_run), ON_MEASURE,
	 "print the plan, its time and every file it would write; touch nothing", NULL, NULL},
	{"output", 'o', "DIR", KIND_TEXT, AT(out_dir), ON_REPORT | ON(PL_CMD_CAPTURE),
	 "where the result files go (run: ./pcielat-BOARD-DATE unless named)", NULL, NULL},
	{"json", 0, "FILE", KIND_TEXT, AT(json),
	 ON_MEASURE | ON(PL_CMD_LIST) | ON(PL_CMD_REPORT) | ON(PL_CMD_MONITOR),
	 "write JSON to FILE, or to stdout instead of the table", NULL, "-"},
	{"csv", 0, "FILE", KIND_TEXT, AT(csv), ON_MEASURE | ON(PL_CMD_REPORT),
	 "write summary CSV to FILE, or to stdout instead of the table", NULL, "-"},
	{"html", 0, "FILE", KIND_TEXT, AT(html), ON_MEASURE | ON(PL_CMD_REPORT),
	 "write the HTML report to FILE, or to stdout instead of the table", NULL, "-"},
	{"markdown", 0, "FILE", KIND_TEXT, AT(markdown), ON_REPORT,
	 "write test system, tables and verdict as Markdown to FILE, or to stdout", NULL, "-"},
	{"openmetrics", 0, "FILE", KIND_TEXT, AT(openmetrics), ON_REPORT,
	 "write metrics for a textfile collector to FILE, or to stdout", NULL, "-"},
	{"lang", 0, "en|zh-CN", KIND_TEXT, AT(lang), ON_REPORT | ON(PL_CMD_NEXT),
	 "language of report.html and of Markdown", NULL, NULL},
	{"no-charts", 0, NULL, KIND_FLAG, AT(no_charts), ON_REPORT | ON(PL_CMD_NEXT),
	 "report.html with tables and the slot map only: small, no scripts", NULL, NULL},
	{"compare", 0, "FILE", KIND_LIST, AT(compared), ON(PL_CMD_REPORT),
	 "other results to put beside these in report.html (repeat for more)", NULL, NULL},
	{"fail-over", 0, "TIME", KIND_TEXT, AT(fail_over), ON(PL_CMD_COMPARE),
	 "exit 7 when something is slower by more than TIME (25ns) and the interval of the "
	 "difference excludes zero, 8 when nothing could be compared",
	 NULL, NULL},
	{"boots", 0, "N", KIND_TEXT, AT(boots), ON(PL_CMD_NEXT),
	 "boots wanted in each slot (default: 3; with fewer a claim holds within one boot only)",
	 NULL, NULL},
	{"allow-change", 0, "LIST", KIND_TEXT, AT(allow_change), ON(PL_CMD_NEXT),
	 "go on although this changed since the session began: bios,kernel (marked in the results)",
	 NULL, NULL},
	{"tree", 't', NULL, KIND_FLAG, AT(tree), ON(PL_CMD_LIST), "draw the tree of links", NULL,
	 NULL},
	{"sysroot", 0, "DIR", KIND_TEXT, AT(sysroot), ON_MACHINE,
	 "a capture instead of this machine (list only)", NULL, NULL},
	{"dump", 0, "FILE", KIND_TEXT, AT(dump), ON(PL_CMD_LIST),
	 "text of lspci -xxx or -xxxx instead of this machine", NULL, NULL},
	{"label", 'l', "KEY=NAME", KIND_LIST, AT(labels), ON_MACHINE,
	 "name a slot as the board's manual does; KEY: slot key, BDF or present label", NULL, NULL},
	{"board-file", 0, "FILE", KIND_TEXT, AT(board_file), ON_MACHINE,
	 "slot names of a board, one KEY = NAME a line", NULL, NULL},
	{"color", 0, "auto|always|never", KIND_CHOICE, AT(color), ON_PRINT,
	 "colours (auto: on a terminal, unless NO_COLOR is set)", when_choices, NULL},
	{"ascii", 0, NULL, KIND_FLAG, AT(ascii), ON_PRINT, "no line drawing beyond ASCII", NULL,
	 NULL},
	{"progress", 0, "auto|always|never", KIND_CHOICE, AT(progress),
	 ON_MEASURE | ON(PL_CMD_MONITOR), "progress line on stderr (auto: on a terminal)",
	 when_choices, NULL},
	{"quiet", 0, NULL, KIND_FLAG, AT(quiet), ON_MEASURE, "no warnings on stderr", NULL, NULL},
};

#define SPEC_COUNT (sizeof(specs) / sizeof(specs[0]))
#define KEY_BASE 0x100

struct command {
	const char *name, *args, *doc;
	bool takes_args;
};

static const struct command commands[PL_CMD_COUNT] = {
	[PL_CMD_RUN] =
		{"run", "[--all-slots]",
		 "Measure what each PCIe slot costs: configuration reads along the path, BAR "
		 "reads, NVMe reads at queue depth 1, GPU reads of host memory. Nothing is "
		 "ever written to a drive.",
		 false},
	[PL_CMD_LIST] = {"list", "",
			 "Show slots, devices, attachment, chipset hops and links. "
			 "Measures nothing; runs without root.",
			 false},
	[PL_CMD_TRACE] =
		{"trace", "[BDF]",
		 "Traceroute for PCIe: the timed configuration read at every function from "
		 "the root port to a device, or to all.",
		 true},
	[PL_CMD_MONITOR] =
		{"monitor", "DRIVE",
		 "Watch a drive for minutes to hours: spikes over time, stalls at regular times, "
		 "and what follows idle time. Reads only.",
		 true},
	[PL_CMD_DOCTOR] =
		{"doctor", "",
		 "What can be measured now, what is missing, and the command that fixes it.",
		 false},
	[PL_CMD_CAPTURE] =
		{"capture", "",
		 "Write what the topology needs into one archive for a bug report: serial numbers, "
		 "network addresses and host names are left out.",
		 false},
	[PL_CMD_RESTORE] =
		{"restore", "",
		 "Put back link states and power settings that a run which died has changed. Every "
		 "run does so by itself when it starts; without a reboot in between nothing is "
		 "lost.",
		 false},
	[PL_CMD_REPORT] =
		{"report", "FILE...",
		 "Make reports again from results.json or report.html, no hardware needed. Several "
		 "files of one board are merged.",
		 true},
	[PL_CMD_COMPARE] =
		{"compare", "BASE NEW...",
		 "Differences between results, with intervals: medians and claims, slot by slot.",
		 true},
	[PL_CMD_NEXT] =
		{"next", "DIR",
		 "One step of a session that follows a card through several slots and boots: "
		 "measures, or says where the card belongs. The first call names the card and the "
		 "slots to visit.",
		 true},
};

const char *pl_command_name(enum pl_command command)
{
	return command < PL_CMD_COUNT && commands[command].name ? commands[command].name : "";
}

static void push(struct pl_options *options, struct pl_texts *texts, const char *text)
{
	void *items = texts->items;

	*(const char **)pl_arena_push(&options->arena, &items, &texts->count, &texts->capacity,
				      sizeof(text)) = text;
	texts->items = items;
}

static void push_commas(struct pl_options *options, struct pl_texts *texts, const char *text)
{
	char *copy = pl_arena_strdup(&options->arena, text), *save = NULL;

	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save))
		push(options, texts, item);
}

static void apply_choice(const struct spec *spec, int *value, const char *arg,
			 struct argp_state *state)
{
	for (int i = 0; spec->choices[i]; i++) {
		if (strcmp(spec->choices[i], arg))
			continue;
		*value = i;
		return;
	}
	argp_error(state, "--%s %s: not one of %s", spec->name, arg, spec->arg);
}

static void apply(const struct spec *spec, struct pl_options *options, char *arg,
		  struct argp_state *state)
{
	char *field = (char *)options + spec->at;
	const char *value = arg ? arg : spec->if_bare;

	switch (spec->kind) {
	case KIND_FLAG:
		*(bool *)field = true;
		break;
	case KIND_TEXT:
		*(const char **)field = value;
		break;
	case KIND_LIST:
		if (spec->at == AT(probes) || spec->at == AT(gaps))
			push_commas(options, (struct pl_texts *)field, value);
		else
			push(options, (struct pl_texts *)field, value);
		break;
	case KIND_CHOICE:
		apply_choice(spec, (int *)field, value, state);
		break;
	}
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
	struct pl_options *options = state->input;

	if (key == ARGP_KEY_ARG && commands[options->command].takes_args) {
		push(options, &options->args, arg);
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		argp_error(state, "%s: not an option; commands come first: pcielat %s …", arg, arg);
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (key != (specs[i].key ? specs[i].key : (int)i + KEY_BASE))
			continue;
		apply(&specs[i], options, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* --gpu 0 is --device gpu0 --probe gpu. */
static void spell_out_gpus(struct pl_options *o)
{
	for (size_t i = 0; i < o->gpus.count; i++) {
		const char *name = o->gpus.items[i];
		bool is_number = *name && strspn(name, "0123456789") == strlen(name);

		push(o, &o->devices, is_number ? pl_arena_printf(&o->arena, "gpu%s", name) : name);
	}
	if (o->gpus.count && !o->probes.count)
		push(o, &o->probes, "gpu");
}

static void check(const struct pl_options *o)
{
	struct pl_err err = {0, ""};

	if (pl_output_check(o, &err)) {
		fprintf(stderr, "pcielat: %s\n", err.text);
		exit(PL_EXIT_USAGE);
	}
	if (o->quick && o->thorough) {
		fprintf(stderr, "pcielat: --quick and --thorough exclude each other\n");
		exit(PL_EXIT_USAGE);
	}
}

static enum pl_command find_command(const char *word)
{
	for (int i = PL_CMD_RUN; i < PL_CMD_COUNT; i++)
		if (!strcmp(commands[i].name, word))
			return (enum pl_command)i;
	return PL_CMD_NONE;
}

static void bad_command(const char *word)
{
	fprintf(stderr, "pcielat: %s: no such command; there is:", word);
	for (int i = PL_CMD_RUN; i < PL_CMD_COUNT; i++)
		fprintf(stderr, " %s", commands[i].name);
	fprintf(stderr, " (see pcielat --help)\n");
	exit(PL_EXIT_USAGE);
}

/* The options of one command in argp's form; zero-terminated, static storage. */
static const struct argp_option *options_of(enum pl_command command)
{
	static struct argp_option list[SPEC_COUNT + 1];
	size_t n = 0;

	memset(list, 0, sizeof(list));
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (!(specs[i].commands & ON(command)))
			continue;
		list[n].name = specs[i].name;
		list[n].key = specs[i].key ? specs[i].key : (int)i + KEY_BASE;
		list[n].arg = specs[i].arg;
		list[n].flags = specs[i].if_bare ? OPTION_ARG_OPTIONAL : 0;
		list[n].doc = specs[i].doc;
		n++;
	}
	return n ? list : NULL; /* argp leaks over an empty list (glibc 2.36) */
}

/* After the options of --help: the other commands, made from the table. */
static char *help_filter(int key, const char *text, void *input)
{
	const struct pl_options *options = input;
	char *out = NULL;
	size_t size = 0;
	FILE *stream;

	if (key != ARGP_KEY_HELP_POST_DOC || !options || options->command != PL_CMD_RUN)
		return (char *)text;
	stream = open_memstream(&out, &size);
	if (!stream)
		return (char *)text;
	fprintf(stream, "Commands (pcielat COMMAND --help):\n");
	for (int i = PL_CMD_RUN; i < PL_CMD_COUNT; i++)
		fprintf(stream, "  %-9s %.*s.\n", commands[i].name,
			(int)strcspn(commands[i].doc, ".:"), commands[i].doc);
	fprintf(stream, "\nExit codes: 0 done, 1 internal, 2 usage, 3 nothing to measure, "
			"4 permission missing for something asked for, 5 the environment refuses, "
			"6 session mismatch, 7 compare threshold exceeded, 8 done with invalid "
			"results or nothing to compare, 10 move the card, 130/143 interrupted.\n");
	fclose(stream);
	return out;
}

static void print_version(FILE *stream, struct argp_state *state)
{
	(void)state;
	fprintf(stream, "pcielat %s (schema %s %s)\n", PL_VERSION, PL_SCHEMA, PL_SCHEMA_VERSION);
}

void pl_options_parse(struct pl_options *options, int argc, char **argv)
{
	struct argp argp = {.parser = parse_key, .help_filter = help_filter};
	char name[64];
	char *doc;

	memset(options, 0, sizeof(*options));
	argp_program_version_hook = print_version;
	argp_err_exit_status = PL_EXIT_USAGE;
	if (argc < 2)
		return;
	options->command = PL_CMD_RUN;
	if (argv[1][0] != '-') {
		options->command = find_command(argv[1]);
		if (options->command == PL_CMD_NONE)
			bad_command(argv[1]);
		snprintf(name, sizeof(name), "pcielat %s", argv[1]);
		argv[1] = pl_arena_strdup(&options->arena, name);
		argv++;
		argc--;
	}
	argp.options = options_of(options->command);
	argp.args_doc = commands[options->command].args;
	doc = pl_arena_printf(&options->arena, "%s\v", commands[options->command].doc);
	argp.doc = doc;
	argp_parse(&argp, argc, argv, 0, NULL, options);
	spell_out_gpus(options);
	check(options);
}

void pl_options_fini(struct pl_options *options)
{
	pl_arena_fini(&options->arena);
}
