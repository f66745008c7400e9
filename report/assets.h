#ifndef PL_REPORT_ASSETS_H
#define PL_REPORT_ASSETS_H

#include <stddef.h>

/* Files that became part of the binary: the page's style, chart templates, scripts of Vega. */
struct pl_asset {
	const char *name;
	const char *start, *end;
	const char *hash; /* of a script, "sha256-…" for the page's policy; NULL otherwise */
	int is_packed;    /* stands as in pack.h; the hash is of the text */
};

/* Of the source tree: "report.css", "bars.json", … NULL when there is none of that name. */
const struct pl_asset *pl_asset_find(const char *name);

/* Vega and what starts it, in order; 0 in a build without npm. */
size_t pl_asset_script_count(void);
const struct pl_asset *pl_asset_script(size_t index);
/* Licence texts of what is inside the scripts; NULL without scripts. */
const struct pl_asset *pl_asset_notices(void);

#endif
