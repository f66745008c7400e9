#ifndef PL_REPORT_REPORT_H
#define PL_REPORT_REPORT_H

#include <stdio.h>

#include "core/err.h"
#include "model/run.h"
#include "model/watch.h"

/*
 * Facts -> claims -> documents. report/ reads the model only: it never measures, and core/stats
 * alone computes. Writers take a FILE that the caller opened; they return 0 or -errno (-EIO with
 * the sentence when the stream failed, e.g. a full disk).
 */

/* Derives run->effects from the measurements: claims with intervals, or the reason for none. */
int pl_report_attribute(struct pl_run *run, struct pl_err *err);

/* How text goes to a terminal. */
struct pl_text_style {
	bool color, utf8;
	unsigned columns; /* 80 when not a terminal */
};

/* `list`: the slots as a table or a tree; `run`: the result table and the verdict; `trace`:
 * ladders. */
int pl_report_write_list(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			 struct pl_err *err);
int pl_report_write_tree(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			 struct pl_err *err);
int pl_report_write_table(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			  struct pl_err *err);
int pl_report_write_ladder(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			   struct pl_err *err);
/* `list --aspm`: every link (run->aspm_links), what it may do, what is on, what is suspicious. */
int pl_report_write_aspm(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			 struct pl_err *err);

/* `list --json`: {schema, schema_version, generator, environment, slots, warnings, skipped}. */
int pl_report_write_list_json(const struct pl_run *run, FILE *out, struct pl_err *err);
/* results.json; samples_file is the name of samples.bin beside it, NULL when there is none. */
int pl_report_write_json(const struct pl_run *run, const char *samples_file, FILE *out,
			 struct pl_err *err);
/* CSV family: tidy, ns, C locale. summary: one row per series; runs: one row per block of a series;
 * histogram: one row per bin; effects: one row per claim. */
int pl_report_write_csv(const struct pl_run *run, FILE *out, struct pl_err *err);
int pl_report_write_runs_csv(const struct pl_run *run, FILE *out, struct pl_err *err);
int pl_report_write_histogram_csv(const struct pl_run *run, FILE *out, struct pl_err *err);
int pl_report_write_effects_csv(const struct pl_run *run, FILE *out, struct pl_err *err);
/* Raw samples: layout in docs/formats.md and in results.json. */
int pl_report_write_samples(const struct pl_run *run, FILE *out, struct pl_err *err);
/* How a document for people is made. NULL options everywhere: English, with charts. */
enum pl_lang { PL_LANG_EN, PL_LANG_ZH_CN };

struct pl_html_options {
	enum pl_lang lang;
	bool no_charts; /* tables and the slot map only */
	/* Other boards or runs for the section "compare"; may be NULL. */
	const struct pl_run *const *others;
	size_t other_count;
};

/* "en", "zh-CN" (and "zh"): 0 or -EINVAL with the list of what there is. */
int pl_report_lang(const char *name, enum pl_lang *lang, struct pl_err *err);

/* One offline file: no network, strict content security policy. */
int pl_report_write_html(const struct pl_run *run, const struct pl_html_options *options, FILE *out,
			 struct pl_err *err);

/*
 * Writes DIR/{results.json,summary.csv,runs.csv,histogram.csv,effects.csv,samples.bin,report.html},
 * each to a temporary name, fsynced and renamed; makes DIR when missing. A failure of one file does
 * not stop the others; the first one is the error.
 */
int pl_report_write_dir(const struct pl_run *run, const char *dir,
			const struct pl_html_options *options, struct pl_err *err);

/*
 * DIR/results.json alone, of a run that still goes on: whole or not at all, without samples, so
 * that it never points into a file of another moment. pl_report_write_dir puts the final one in its
 * place.
 */
int pl_report_save_partial(const struct pl_run *run, const char *dir, struct pl_err *err);

/*
 * A block for a forum or an article, as Markdown: test system, table, the tables of the drives that
 * a run looked into (--thorough), verdict, what is missing.
 */
int pl_report_write_markdown(const struct pl_run *run, enum pl_lang lang, FILE *out,
			     struct pl_err *err);
/* OpenMetrics text for node_exporter's textfile collector: medians, tails, claims, with labels. */
int pl_report_write_openmetrics(const struct pl_run *run, FILE *out, struct pl_err *err);

/* One watch of `monitor` and what it was of; texts NULL: null. */
struct pl_watch_document {
	const struct pl_watch *watch;
	const char *subject, *path; /* what was read, through which software path */
	const char *phase;          /* "as_found", "off": the link state it was watched in */
	int64_t begun_s;            /* seconds since 1970, of t_s 0 */
	bool is_ended;              /* false: written while the watch went on */
	const struct pl_measurement *series; /* whose slot and warnings it has; NULL: none */
};

/* One JSON object on one line: the record of a watch, its finds and its histogram. */
int pl_report_write_watch_json(const struct pl_run *run, const struct pl_watch_document *document,
			       FILE *out, struct pl_err *err);

/*
 * Reads results back: results.json (with its samples.bin when it is still beside it), the folder it
 * is in, or report.html. run is empty (pl_run_init). Several files are merged into one run: the
 * same board, slots by key and device, one boot per boot id. Claims of a single file are kept as
 * they were written; merged ones are dropped (run->effects is empty): call pl_report_attribute.
 * Errors: -ENOENT and friends, -EINVAL (not results of ours), -ENOTSUP (a newer major version),
 * -EXDEV (different boards).
 */
int pl_report_read(struct pl_run *run, const char *const *paths, size_t count, struct pl_err *err);

/* A difference between two runs, slot by slot. */
struct pl_compare_options {
	double fail_over_ns; /* --fail-over; NAN: none */
	enum pl_lang lang;
};

struct pl_compare_result {
	size_t differing; /* differences that are resolved: the interval excludes 0 */
	size_t exceeded;  /* of these, the new one is slower by more than fail_over_ns */
	size_t undecided; /* results that nothing of the base could be compared with */
	char reason[160]; /* of the last undecided one */
};

/*
 * Prints what differs between base and each of the others: medians of the same access in the same
 * slot (or of the same subject, where there is no slot), and claims of the same question, with 95 %
 * intervals of the differences; claims that one of them alone has.
 */
int pl_report_compare(const struct pl_run *base, const struct pl_run *const *others, size_t count,
		      const struct pl_compare_options *options, const struct pl_text_style *style,
		      FILE *out, struct pl_compare_result *result, struct pl_err *err);

#endif
