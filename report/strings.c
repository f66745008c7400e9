#include "report/strings.h"

const char *pl_str(enum pl_lang lang, enum pl_str id)
{
	static const char *const table[PL_STR_COUNT][2] = {
#define STR(name, en, zh_cn) [PL_STR_##name] = {en, zh_cn},
#include "report/strings.def"
#undef STR
	};

	return table[id][lang == PL_LANG_ZH_CN];
}

bool pl_str_is_number(enum pl_str head)
{
	static const enum pl_str numbers[] = {
		PL_STR_CONFIG_READ, PL_STR_BAR_READ, PL_STR_NVME_READ, PL_STR_GPU_LOAD,
		PL_STR_MAX_POWER,   PL_STR_ENTRY,    PL_STR_EXIT,      PL_STR_MEDIAN,
		PL_STR_P90,         PL_STR_P99,      PL_STR_P999,      PL_STR_SAMPLES,
		PL_STR_DEPTH,       PL_STR_IOPS,     PL_STR_STEP_UP,   PL_STR_GAP,
		PL_STR_OVER_STEADY, PL_STR_HOP_AXIS};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] == head)
			return true;
	return false;
}

const char *pl_str_lang(enum pl_lang lang)
{
	return lang == PL_LANG_ZH_CN ? "zh-CN" : "en";
}
