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

const char *pl_str_lang(enum pl_lang lang)
{
	return lang == PL_LANG_ZH_CN ? "zh-CN" : "en";
}
