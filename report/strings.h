#ifndef PL_REPORT_STRINGS_H
#define PL_REPORT_STRINGS_H

#include <stdbool.h>

#include "report/report.h"

/* Every word that a document for people shows, in every language: strings.def is the table. */
enum pl_str {
#define STR(name, en, zh_cn) PL_STR_##name,
#include "report/strings.def"
#undef STR
	PL_STR_COUNT
};

const char *pl_str(enum pl_lang lang, enum pl_str id);
/* Whether a column of this head holds numbers: then it is aligned to the right. */
bool pl_str_is_number(enum pl_str head);
/* "en", "zh-CN": the value of the lang attribute. */
const char *pl_str_lang(enum pl_lang lang);

#endif
