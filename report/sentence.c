#include "report/sentence.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"
#include "report/out.h"
#include "report/phrases.h"
#include "report/rows.h"
#include "report/strings.h"

#define LANGS 2
#define SENTENCE_BYTES 600 /* no sentence of ours is longer; what a file says may be */

/*
 * Fields: {slot} {path} {p50} {reference} {reference_path} {reference_p50} {class} {value} {limit}
 * {access} {state} {low} {high} {n} {unit} {reason} {function} {reference_function} {advertised}.
 */
struct words {
	const char *resolved, *not_resolved;
};

static const struct words table[LANGS][PL_EFFECT_LAST + 1] = {
	[PL_LANG_EN] =
		{
			[PL_EFFECT_HOP] =
				{"The path of {slot} ({path}, {p50}) adds {value} (95 % CI) to "
				 "{access} "
				 "against {reference} ({reference_path}, {reference_p50}; "
				 "{class}).",
				 "No hop seen: {access} in {slot} ({path}) differs from "
				 "{reference} by {value} "
				 "(95 % CI, {class}); {limit} or more would have been seen."},
			[PL_EFFECT_EXIT] = {"Waking the link of {slot} from {state} adds {value} "
					    "(95 % CI) to {access} "
					    "after idle{advertised}.",
					    "{slot}: no exit from {state} seen for {access}: "
					    "{value} (95 % CI); {limit} or "
					    "more would have been seen."},
			[PL_EFFECT_EXIT_IN_COMMAND] =
				{"With {state} allowed, {access} in {slot} takes {value} (95 % CI) "
				 "longer under "
				 "continuous traffic.",
				 "{slot}: with {state} allowed, {access} under continuous traffic "
				 "differs by "
				 "{value} (95 % CI); {limit} or more would have been seen."},
			[PL_EFFECT_ENTRY_TIMER] = {"The link of {slot} enters {state} between "
						   "{low} and {high} of idle.",
						   "{slot}: no entry into {state} seen."},
			[PL_EFFECT_TAIL] = {"With {state} allowed, 1 in 100 of {access} in {slot} "
					    "is {value} (95 % CI) "
					    "longer.",
					    "{slot}: with {state} allowed, p99 of {access} differs "
					    "by {value} (95 % CI)."},
			[PL_EFFECT_CONFIG_STEP] =
				{"A configuration read of {function} takes {value} (95 % CI) "
				 "longer than of "
				 "{reference_function}.",
				 "Configuration reads of {function} and {reference_function} "
				 "differ by {value} "
				 "(95 % CI); {limit} or more would have been seen."},
			[PL_EFFECT_CHAIN] = {"Waking the links above {slot} as well adds {value} "
					     "(95 % CI) to {access}.",
					     "{slot}: waking the links above as well adds nothing "
					     "seen to {access}: {value} "
					     "(95 % CI)."},
			[PL_EFFECT_PREWOKEN] = {"{slot}: with the link woken first, {access} after "
						"idle still takes {value} (95 % CI) longer from "
						"{state} than with links off.",
						"{slot}: with the link woken first, {access} after "
						"idle differs from links off by {value} (95 % "
						"CI)."},
			[PL_EFFECT_APST] = {"The power states of the drive in {slot} add {value} "
					    "(95 % CI) to {access} after idle, links off.",
					    "{slot}: the power states of the drive add nothing "
					    "seen to {access}: {value} (95 % CI)."},
		},
	[PL_LANG_ZH_CN] =
		{
			[PL_EFFECT_HOP] =
				{"{slot}（{path}，{p50}）的路径使{access}增加 {value}（95 % "
				 "置信区间），参照 "
				 "{reference}（{reference_path}，{reference_p50}；{class}）。",
				 "未见级差：{slot}（{path}）与 {reference} 的{access}相差 "
				 "{value}（95 % "
				 "置信区间，{class}）；{limit} 以上的差异本可被检出。"},
			[PL_EFFECT_EXIT] =
				{"空闲后将 {slot} 的链路从 {state} 唤醒使{access}增加 {value}（95 "
				 "% "
				 "置信区间）{advertised}。",
				 "{slot}：未见从 {state} 唤醒的影响（{access}）：{value}（95 % "
				 "置信区间）；{limit} 以上本可被检出。"},
			[PL_EFFECT_EXIT_IN_COMMAND] =
				{"允许 {state} 时，{slot} 的{access}在连续访问下增加 {value}（95 % "
				 "置信区间）：链路在命令内休眠并唤醒。",
				 "{slot}：允许 {state} 时，连续访问下的{access}相差 {value}（95 % "
				 "置信区间）；{limit} 以上本可被检出。"},
			[PL_EFFECT_ENTRY_TIMER] =
				{"{slot} 的链路在空闲 {low} 至 {high} 之间进入 {state}。",
				 "{slot}：未见进入 {state}。"},
			[PL_EFFECT_TAIL] = {"允许 {state} 时，{slot} 的{access}每 100 次中有 1 "
					    "次增加 {value}（95 % "
					    "置信区间）。",
					    "{slot}：允许 {state} 时，{access}的 p99 相差 "
					    "{value}（95 % 置信区间）。"},
			[PL_EFFECT_CONFIG_STEP] = {"{function} 的配置空间读比 {reference_function} "
						   "长 {value}（95 % 置信区间）。",
						   "{function} 与 {reference_function} "
						   "的配置空间读相差 {value}（95 % "
						   "置信区间）；{limit} 以上本可被检出。"},
			[PL_EFFECT_CHAIN] = {"同时唤醒 {slot} 上方的链路使{access}再增加 "
					     "{value}（95 % 置信区间）。",
					     "{slot}：同时唤醒上方链路对{access}未见增加：{value}"
					     "（95 % 置信区间）。"},
			[PL_EFFECT_PREWOKEN] = {"{slot}：先唤醒链路后，空闲后的{access}在 {state} "
						"下仍比链路关闭时长 {value}（95 % 置信区间）。",
						"{slot}：先唤醒链路后，空闲后的{access}与链路关闭时"
						"相差 {value}（95 % 置信区间）。"},
			[PL_EFFECT_APST] = {"链路关闭时，{slot} 硬盘自身的电源状态使空闲后的"
					    "{access}增加 {value}（95 % 置信区间）。",
					    "{slot}：硬盘自身的电源状态对{access}未见增加："
					    "{value}（95 % 置信区间）。"},
		},
};

static const char *const not_made[LANGS] = {"{slot}: no {effect} for {access}: {reason}.",
					    "{slot}：无{effect}结论（{access}）：{reason}。"};

static const char *const effect_names[PL_EFFECT_LAST + 1] = {
	[PL_EFFECT_HOP] = "级差",
	[PL_EFFECT_EXIT] = "唤醒",
	[PL_EFFECT_EXIT_IN_COMMAND] = "命令内唤醒",
	[PL_EFFECT_ENTRY_TIMER] = "进入定时",
	[PL_EFFECT_TAIL] = "尾部",
	[PL_EFFECT_CONFIG_STEP] = "配置读台阶",
	[PL_EFFECT_CHAIN] = "链路串联",
	[PL_EFFECT_PREWOKEN] = "预唤醒后的唤醒",
	[PL_EFFECT_APST] = "硬盘电源状态",
};

static const char *const classes[LANGS][PL_REF_SAME_UNIT + 1] = {
	{"different devices", "same slot", "different units of one model", "same device"},
	{"不同设备", "同一插槽", "同型号的不同个体", "同一设备"}};

static const char *const accesses[LANGS][PL_PROBE_NET + 1] = {
	{"a configuration read", "a register read", "an NVMe read", "a GPU read of host memory",
	 "a packet"},
	{"配置空间读", "寄存器读", " NVMe 读", " GPU 读主机内存", "网络包"}};

const char *pl_sentence_reason(struct pl_arena *arena, const char *reason, enum pl_lang lang)
{
	return reason ? pl_phrase(arena, pl_out_cut(arena, reason, SENTENCE_BYTES), lang) : "–";
}

const char *pl_sentence_path(struct pl_arena *arena, const struct pl_slot *slot, enum pl_lang lang)
{
	return lang == PL_LANG_EN ? pl_row_path(arena, slot)
				  : pl_phrase(arena, pl_row_chips(arena, slot), lang);
}

const char *pl_sentence_value(struct pl_arena *arena, const struct pl_effect *e)
{
	char text[64];

	pl_fmt_ns_pm(text, sizeof(text), e->estimate_ns,
		     fmax(e->high_ns - e->estimate_ns, e->estimate_ns - e->low_ns));
	return pl_arena_strdup(arena, text);
}

const char *pl_sentence_effect(enum pl_effect_kind kind, enum pl_lang lang)
{
	return lang == PL_LANG_ZH_CN ? effect_names[kind] : pl_effect_kind_name(kind);
}

const char *pl_sentence_access(enum pl_probe probe, enum pl_lang lang)
{
	static const enum pl_str names[] = {PL_STR_CONFIG_READ, PL_STR_BAR_READ, PL_STR_NVME_READ,
					    PL_STR_GPU_LOAD};

	return probe <= PL_PROBE_GPU ? pl_str(lang, names[probe]) : pl_probe_name(probe);
}

/* ---- filling in ---- */

struct filler {
	struct pl_arena *arena;
	const struct pl_run *run;
	const struct pl_effect *e;
	enum pl_lang lang;
};

static const char *slot_label(const struct filler *f, const struct pl_slot *slot)
{
	return slot ? pl_row_label(f->arena, slot) : "?";
}

static const char *median_of(const struct filler *f, const struct pl_slot *slot)
{
	struct pl_row row;
	const struct pl_measurement *m;

	if (!slot)
		return "n/a";
	pl_row_fill(f->run, slot, &row);
	m = f->e->probe == PL_PROBE_GPU    ? row.gpu
	    : f->e->probe == PL_PROBE_NVME ? row.nvme
	    : f->e->probe == PL_PROBE_BAR  ? row.bar
					   : row.config;
	return pl_series_has_numbers(m) ? pl_row_ns(f->arena, m->summary.p50_ns) : "n/a";
}

const char *pl_sentence_advertised(struct pl_arena *arena, const struct pl_effect *e)
{
	if (!e->verdict || (e->advertised_low_ns < 0 && e->advertised_high_ns < 0))
		return NULL;
	return e->advertised_high_ns < 0
		       ? pl_arena_printf(arena, "> %s",
					 pl_row_ns(arena, (double)e->advertised_low_ns))
		       : pl_arena_printf(arena, "%s–%s",
					 pl_row_ns(arena, (double)e->advertised_low_ns),
					 pl_row_ns(arena, (double)e->advertised_high_ns));
}

/* "（标称 32–64 µs：符合）"; English sentences are the attribution's own where it has any. */
static const char *advertised(const struct filler *f)
{
	const char *range = pl_sentence_advertised(f->arena, f->e), *verdict;

	if (!range)
		return "";
	verdict = pl_phrase(f->arena, f->e->verdict, f->lang);
	if (f->lang == PL_LANG_ZH_CN)
		return pl_arena_printf(f->arena, "（标称 %s：%s）", range, verdict);
	return pl_arena_printf(f->arena, " (advertised: %s: %s)", range, verdict);
}

static const char *bdf_text(const struct filler *f, struct pl_bdf bdf)
{
	char text[PL_BDF_TEXT];

	return pl_arena_strdup(f->arena, pl_bdf_format(bdf, text));
}

static const char *path_text(const struct filler *f, const struct pl_slot *slot)
{
	return slot ? pl_sentence_path(f->arena, slot, f->lang) : "?";
}

/* Every rung of a ladder sees the links above it: say which function was read. */
static const char *access_text(const struct filler *f)
{
	const char *access = accesses[f->lang][f->e->probe];

	if (f->e->probe != PL_PROBE_CONFIG)
		return access;
	return pl_arena_printf(f->arena, f->lang == PL_LANG_ZH_CN ? "%s（%s）" : "%s of %s", access,
			       bdf_text(f, f->e->function));
}

/* One line per field; which is which is decided by the name. */
static const char *field(const struct filler *f, const char *name, size_t length)
{
	const struct pl_effect *e = f->e;
	const struct {
		const char *name, *text;
	} fields[] = {
		{"slot", slot_label(f, e->slot)},
		{"path", path_text(f, e->slot)},
		{"p50", median_of(f, e->slot)},
		{"reference", slot_label(f, e->reference_slot)},
		{"reference_path", path_text(f, e->reference_slot)},
		{"reference_p50", median_of(f, e->reference_slot)},
		{"class", classes[f->lang][e->reference_class]},
		{"value", pl_sentence_value(f->arena, e)},
		{"limit", pl_row_ns(f->arena, e->detection_limit_ns)},
		{"access", access_text(f)},
		{"state", pl_phrase(f->arena, pl_out_short(f->arena, pl_state_text(e->state), "?"),
				    f->lang)},
		{"low", pl_row_ns(f->arena, e->low_ns)},
		{"high", pl_row_ns(f->arena, e->high_ns)},
		{"reason", pl_sentence_reason(f->arena, e->reason, f->lang)},
		{"effect", pl_sentence_effect(e->kind, f->lang)},
		{"function", bdf_text(f, e->function)},
		{"reference_function", bdf_text(f, e->reference_function)},
		{"advertised", advertised(f)},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == length && !strncmp(fields[i].name, name, length))
			return fields[i].text;
	return "";
}

static const char *fill(const struct filler *f, const char *words)
{
	const char *text = "";

	while (*words) {
		size_t plain = strcspn(words, "{");
		const char *name = words + plain + 1;
		size_t length = words[plain] ? strcspn(name, "}") : 0;

		text = pl_arena_printf(f->arena, "%s%.*s%s", text, (int)plain, words,
				       words[plain] ? field(f, name, length) : "");
		words = words[plain] ? name + length + 1 : words + plain;
	}
	return text;
}

const char *pl_sentence(struct pl_arena *arena, const struct pl_run *run, const struct pl_effect *e,
			enum pl_lang lang)
{
	const struct filler filler = {arena, run, e, lang};

	if (e->sentence && lang == PL_LANG_EN)
		return pl_out_cut(arena, e->sentence, SENTENCE_BYTES);
	if (e->status == PL_CLAIM_NOT_MADE)
		return fill(&filler, not_made[lang]);
	return pl_arena_printf(arena, "%s%s",
			       fill(&filler, e->status == PL_CLAIM_RESOLVED
						     ? table[lang][e->kind].resolved
						     : table[lang][e->kind].not_resolved),
			       pl_phrase_notes(arena, e->sentence, lang));
}
