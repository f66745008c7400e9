#include "report/phrases.h"

#include <stdbool.h>
#include <string.h>

#define CAPTURES_MOST 6
#define TEXT_BYTES 1000   /* none of ours is longer; values inside of values take stack */
#define SENTENCES_MOST 32 /* of one text; more stay as they are */

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

/* The last {} of a pattern takes all up to what must end the text; numbers have full stops too. */
static bool fits_end(const char *pattern, const char *text, struct capture *last)
{
	size_t length = strlen(text), behind = strlen(pattern);

	if (length <= behind || strcmp(text + length - behind, pattern) != 0)
		return false;
	*last = (struct capture){text, length - behind};
	return true;
}

/* Each {} but the last takes as little as it can. */
static bool fits(const char *pattern, const char *text, struct capture *captures)
{
	for (size_t count = 0; count < CAPTURES_MOST; count++) {
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
		if (!pattern[next])
			return fits_end(pattern, text, &captures[count]);
		end = text;
		while (*end && strncmp(end, pattern, next) != 0)
			end++;
		if (end == text || !*end)
			return false;
		captures[count] = (struct capture){text, (size_t)(end - text)};
		text = end;
	}
	return false;
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

	if (!text || lang == PL_LANG_EN || strnlen(text, TEXT_BYTES) == TEXT_BYTES)
		return text;
	for (size_t i = 0; i < PHRASE_COUNT; i++)
		if (fits(phrases[i].en, text, captures))
			return fill(arena, phrases[i].zh_cn, captures);
	return text;
}

/* A sentence ends with a full stop and a blank, or with the text. */
static const char *sentence_end(const char *text)
{
	const char *end = strstr(text, ". ");

	return end ? end + 1 : text + strlen(text);
}

/* Only a sentence that stays English needs a blank before the next. */
const char *pl_phrase_sentences(struct pl_arena *arena, const char *text, enum pl_lang lang)
{
	const char *at = text, *out = "", *blank = "";

	if (!text || lang == PL_LANG_EN)
		return text;
	for (size_t i = 0; *at && i < SENTENCES_MOST; i++) {
		const char *end = sentence_end(at);
		const char *one = pl_arena_printf(arena, "%.*s", (int)(end - at), at);
		const char *said = pl_phrase(arena, one, lang);

		out = pl_arena_printf(arena, "%s%s%s", out, blank, said);
		blank = said == one ? " " : "";
		at = end + strspn(end, " ");
	}
	return *at ? pl_arena_printf(arena, "%s%s%s", out, blank, at) : out;
}

const char *pl_phrase_notes(struct pl_arena *arena, const char *sentence, enum pl_lang lang)
{
	const char *end = sentence ? sentence_end(sentence) : "";

	return pl_phrase_sentences(arena, end + strspn(end, " "), lang);
}
