#include "report/assets.h"

#include <string.h>

/* The build puts the list of files here; see CMakeLists.txt. */
#define FILE_ASSET(id, name, path)                                                                 \
	__asm__(".section .rodata\n"                                                               \
		".global pl_file_" #id "\n.global pl_file_" #id "_end\n"                           \
		"pl_file_" #id ":\n.incbin \"" path "\"\n"                                         \
		"pl_file_" #id "_end:\n.byte 0\n.previous\n");                                     \
	extern const char pl_file_##id[], pl_file_##id##_end[];
#include "report/files.inc"
#undef FILE_ASSET

const struct pl_asset *pl_asset_find(const char *name)
{
	static const struct pl_asset files[] = {
#define FILE_ASSET(id, name, path) {name, pl_file_##id, pl_file_##id##_end, NULL, 0},
#include "report/files.inc"
#undef FILE_ASSET
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(files[i].name, name))
			return &files[i];
	return NULL;
}
