#include <errno.h>
#include <string.h>

#include "report/report.h"

int pl_report_lang(const char *name, enum pl_lang *lang, struct pl_err *err)
{
	static const struct {
		const char *name;
		enum pl_lang lang;
	} names[] = {{"en", PL_LANG_EN}, {"zh-CN", PL_LANG_ZH_CN}, {"zh", PL_LANG_ZH_CN}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].name)) {
			*lang = names[i].lang;
			return 0;
		}
	return pl_fail(err, -EINVAL, "no such language: %s (there are: en, zh-CN)", name);
}
