#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/report.h"
#include "tests/report/fixture.h"

/* make_fixtures DIR [zh-CN]: writes every fixture to DIR/NAME/ as the tool would. */
/* The record of a watch of its first drive, in three phases: the file that monitor leaves. */
static int write_watch(const struct pl_run *run, const char *dir)
{
	char path[4200];
	FILE *out;
	int rc;

	snprintf(path, sizeof(path), "%s/watch.json", dir);
	out = fopen(path, "w");
	if (!out)
		return -1;
	rc = fx_watch(run, out);
	return fclose(out) || rc ? -1 : 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct pl_run *run);
	} fixtures[] = {{"am5", fx_am5},           {"intel", fx_intel},
			{"nothing", fx_nothing},   {"hostile", fx_hostile},
			{"hostile-3", fx_hostile}, {"hostile-6", fx_hostile},
			{"empty", fx_empty}};
	struct pl_html_options options = {.lang = argc > 2 ? PL_LANG_ZH_CN : PL_LANG_EN};

	if (argc > 1)
		mkdir(argv[1], 0755);
	for (size_t i = 0; argc > 1 && i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		struct pl_run run;
		struct pl_err err = {0};
		char dir[4096];

		/* Which field gets which text: each begins with another one. */
		fx_hostile_first = strchr(fixtures[i].name, '-')
					   ? (unsigned)atoi(strchr(fixtures[i].name, '-') + 1)
					   : 0;
		fixtures[i].make(&run);
		snprintf(dir, sizeof(dir), "%s/%s", argv[1], fixtures[i].name);
		if (pl_report_write_dir(&run, dir, &options, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		if (write_watch(&run, dir)) {
			fprintf(stderr, "%s: no record of a watch\n", dir);
			return 1;
		}
		pl_run_fini(&run);
	}
	return argc > 1 ? 0 : 2;
}
