#include "report/assets.h"

/* The build with npm: scripts.inc and the files it names are made by embed.mjs. */
#define SCRIPT(id, name, path, hash, is_packed)                                                    \
	__asm__(".section .rodata\n"                                                               \
		".global pl_script_" #id "\n.global pl_script_" #id "_end\n"                       \
		"pl_script_" #id ":\n.incbin \"" path "\"\n"                                       \
		"pl_script_" #id "_end:\n.byte 0\n.previous\n");                                   \
	extern const char pl_script_##id[], pl_script_##id##_end[];
#include "report/vega/scripts.inc"
SCRIPT(notices, "notices", PL_NOTICES, "", 0)
#undef SCRIPT

static const struct pl_asset scripts[] = {
#define SCRIPT(id, name, path, hash, is_packed)                                                    \
	{name, pl_script_##id, pl_script_##id##_end, hash, is_packed},
#include "report/vega/scripts.inc"
#undef SCRIPT
};

size_t pl_asset_script_count(void)
{
	return sizeof(scripts) / sizeof(scripts[0]);
}

const struct pl_asset *pl_asset_script(size_t index)
{
	return &scripts[index];
}

const struct pl_asset *pl_asset_notices(void)
{
	static const struct pl_asset notices = {"notices", pl_script_notices, pl_script_notices_end,
						NULL, 0};

	return &notices;
}
