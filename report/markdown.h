#ifndef PL_REPORT_MARKDOWN_H
#define PL_REPORT_MARKDOWN_H

#include <stdio.h>

#include "report/report.h"

/* The test system as a Markdown table: inside report.html too, because it is what gets pasted. */
void pl_markdown_system(const struct pl_run *run, enum pl_lang lang, FILE *out);

#endif
