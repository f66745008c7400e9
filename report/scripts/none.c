#include "report/assets.h"

/* The build without npm: reports have tables and the slot map, and say that charts are missing. */

size_t pl_asset_script_count(void)
{
	return 0;
}

const struct pl_asset *pl_asset_script(size_t index)
{
	(void)index;
	return NULL;
}

const struct pl_asset *pl_asset_notices(void)
{
	return NULL;
}
