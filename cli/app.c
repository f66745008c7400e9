#include "cli/app.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/fmt.h"
#include "topology/topology.h"

enum pl_exit pl_app_fail(enum pl_exit code, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "pcielat: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

enum pl_exit pl_app_exit_code(int rc)
{
	static const struct {
		int rc;
		enum pl_exit code;
	} map[] = {{0, PL_EXIT_DONE},
		   {-EINVAL, PL_EXIT_USAGE},
		   {-ENOENT, PL_EXIT_NOTHING},
		   {-ENODATA, PL_EXIT_NOTHING},
		   {-ENODEV, PL_EXIT_NOTHING},
		   {-EACCES, PL_EXIT_PERMISSION},
		   {-EPERM, PL_EXIT_PERMISSION},
		   {-ENOTSUP, PL_EXIT_REFUSED},
		   {-EROFS, PL_EXIT_REFUSED}};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].rc == rc)
			return map[i].code;
	return PL_EXIT_INTERNAL;
}

#define COLUMNS_MIN 40ul

static unsigned columns_of(int fd)
{
	const char *text = getenv("COLUMNS");
	unsigned long wanted = text ? strtoul(text, NULL, 10) : 0;
	struct winsize size;

	if (wanted >= COLUMNS_MIN && wanted <= USHRT_MAX)
		return (unsigned)wanted;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN)
		return size.ws_col;
	return 80;
}

static void style_init(struct pl_app *app)
{
	const char *no_color = getenv("NO_COLOR");
	bool tty = isatty(STDOUT_FILENO);

	setlocale(LC_CTYPE, "");
	app->style.color = app->options.color == PL_WHEN_ALWAYS ||
			   (app->options.color == PL_WHEN_AUTO && tty && !(no_color && *no_color));
	/* Not a terminal: UTF-8 is what files and pipes want; a terminal says what it can show. */
	app->style.utf8 = !app->options.ascii && (!tty || !strcmp(nl_langinfo(CODESET), "UTF-8"));
	app->style.columns = columns_of(STDOUT_FILENO);
}

bool pl_app_needs_machine(const struct pl_options *options)
{
	return options->command != PL_CMD_REPORT && options->command != PL_CMD_COMPARE;
}

enum pl_exit pl_app_open(struct pl_app *app)
{
	const struct pl_options *o = &app->options;
	struct pl_topology_options topology = {.labels = o->labels.items,
					       .label_count = o->labels.count,
					       .board_file = o->board_file,
					       .dump_file = o->dump};
	struct pl_err err = {0, ""};
	int rc;

	pl_run_init(&app->run);
	style_init(app);
	app->root.fd = -1;
	if (!pl_app_needs_machine(o))
		return PL_EXIT_DONE;
	if (o->dump && o->sysroot)
		return pl_app_fail(PL_EXIT_USAGE, "--dump and --sysroot exclude each other");
	rc = pl_sysroot_open(&app->root, o->sysroot, &err);
	if (rc)
		return pl_app_fail(PL_EXIT_USAGE, "%s", err.text);
	rc = pl_topology_discover(&app->run, &app->root, &topology, &err);
	if (!rc)
		return PL_EXIT_DONE;
	/* A capture, a dump or a board file that cannot be used is the user's input. */
	return pl_app_fail(o->sysroot || o->dump || o->board_file || rc == -EINVAL
				   ? PL_EXIT_USAGE
				   : pl_app_exit_code(rc),
			   "%s", err.text);
}

void pl_app_close(struct pl_app *app)
{
	pl_run_fini(&app->run);
	pl_sysroot_close(&app->root);
	pl_options_fini(&app->options);
}

static void print_one(const char *head, const char *subject, const char *text, const char *remedy)
{
	char line[1024];

	fprintf(stderr, "pcielat: %s: ", head);
	if (subject)
		fprintf(stderr, "%s: ", pl_fmt_printable(line, sizeof(line), subject));
	fprintf(stderr, "%s\n", pl_fmt_printable(line, sizeof(line), text));
	if (remedy)
		fprintf(stderr, "  to fix: %s\n", pl_fmt_printable(line, sizeof(line), remedy));
}

void pl_app_print_warnings(const struct pl_app *app)
{
	const struct pl_run *run = &app->run;
	char head[64];

	if (app->options.quiet)
		return;
	fflush(stdout);
	for (size_t i = 0; i < run->warning_count; i++) {
		const struct pl_warning *w = &run->warnings[i];

		if (!strcmp(w->severity, "info"))
			continue;
		snprintf(head, sizeof(head), "%s: %s", w->severity, w->code);
		print_one(head, w->subject, w->message, NULL);
	}
	for (size_t i = 0; i < run->skip_count; i++)
		print_one("not done", run->skipped[i].what, run->skipped[i].why,
			  run->skipped[i].remedy);
}
