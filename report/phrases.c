#include "report/phrases.h"

#include <stdbool.h>
#include <string.h>

#define CAPTURES_MOST 3
#define NOTES_MOST 8

static const struct phrase {
	const char *en, *zh_cn;
} phrases[] = {
#define PHRASE(en, zh_cn) {en, zh_cn},
#include "report/phrases.def"
#undef PHRASE
};

#define PHRASE_COUNT (sizeof(phrases) / sizeof(phrases[0]))

struct capture {
	const char *text;
	size_t length;
};

/* Each {} takes as little as it can, and the last one all that is left when nothing follows. */
static bool fits(const char *pattern, const char *text, struct capture *captures)
{
	size_t count = 0;

	for (;;) {
		size_t plain = strcspn(pattern, "{");
		const char *end;
		size_t next;

		if (strncmp(pattern, text, plain) != 0)
			return false;
		pattern += plain;
		text += plain;
		if (!*pattern)
			return !*text;
		pattern += 2;
		next = strcspn(pattern, "{");
		end = text;
		while (*end && (!next || strncmp(end, pattern, next) != 0))
			end++;
		if (end == text || count == CAPTURES_MOST)
			return false;
		captures[count++] = (struct capture){text, (size_t)(end - text)};
		text = end;
	}
}

static const char *fill(struct pl_arena *arena, const char *pattern, const struct capture *captures)
{
	const char *out = "";

	for (const char *at; (at = strstr(pattern, "{}")) != NULL; pattern = at + 2, captures++) {
		const char *value =
			pl_arena_printf(arena, "%.*s", (int)captures->length, captures->text);

		out = pl_arena_printf(arena, "%s%.*s%s", out, (int)(at - pattern), pattern,
				      pl_phrase(arena, value, PL_LANG_ZH_CN));
	}
	return pl_arena_printf(arena, "%s%s", out, pattern);
}

const char *pl_phrase(struct pl_arena *arena, const char *text, enum pl_lang lang)
{
	struct capture captures[CAPTURES_MOST];

	for (size_t i = 0; text && lang == PL_LANG_ZH_CN && i < PHRASE_COUNT; i++)
		if (fits(phrases[i].en, text, captures))
			return fill(arena, phrases[i].zh_cn, captures);
	return text;
}

/* A note ends with a full stop and a blank, or with the text. */
static const char *note_end(const char *text)
{
	const char *end = strstr(text, ". ");

	return end ? end + 1 : text + strlen(text);
}

const char *pl_phrase_notes(struct pl_arena *arena, const char *sentence, enum pl_lang lang)
{
	const char *at = sentence ? note_end(sentence) : "", *out = "";

	for (size_t i = 0; *at && i < NOTES_MOST; i++) {
		const char *end = note_end(at + 1);
		const char *note = pl_arena_printf(arena, "%.*s", (int)(end - at - 1), at + 1);

		out = pl_arena_printf(arena, "%s%s", out, pl_phrase(arena, note, lang));
		at = end;
	}
	return out;
}
