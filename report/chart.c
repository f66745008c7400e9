#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "model/state.h"
#include "report/assets.h"
#include "report/out.h"

/* "@NAME" becomes the string of that name, everywhere in a template. */
static const char *word(const struct pl_html *html, const char *name)
{
	static const char *const names[] = {
#define STR(name, en, zh_cn) #name,
#include "report/strings.def"
#undef STR
	};

	for (size_t i = 0; i < PL_STR_COUNT; i++)
		if (!strcmp(names[i], name))
			return pl_html_str(html, (enum pl_str)i);
	return name;
}

/* One unit for a whole linear axis, chosen by its largest value. */
static const char *axis_labels(const json_t *values)
{
	static const struct {
		double below;
		const char *expression;
	} units[] = {{1e4, "format(datum.value, '~g') + ' ns'"},
		     {1e7, "format(datum.value / 1e3, '~g') + ' µs'"},
		     {1e10, "format(datum.value / 1e6, '~g') + ' ms'"},
		     {1e300, "format(datum.value / 1e9, '~g') + ' s'"}};
	double most = 0.0;
	size_t unit = 0;

	for (size_t i = 0; i < json_array_size(values); i++)
		most = fmax(most,
			    json_number_value(json_object_get(json_array_get(values, i), "ns")));
	while (unit < 3 && most >= units[unit].below)
		unit++;
	return units[unit].expression;
}

/* Room for the labels behind the bars: a share of the width per character of the longest. */
static double axis_end(const json_t *values)
{
	const double share_per_character = 0.0125;
	static const char *const fields[] = {"ns", "high", "end"};
	double most = 0.0, longest = 0.0;

	for (size_t i = 0; i < json_array_size(values); i++) {
		const json_t *item = json_array_get(values, i);
		const char *label = json_string_value(json_object_get(item, "label"));

		longest = fmax(longest, label ? (double)strlen(label) : 0.0);
		for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
			most = fmax(most, json_number_value(json_object_get(item, fields[k])));
	}
	return most * (1.02 + share_per_character * longest);
}

static bool is_word(const json_t *value)
{
	return json_is_string(value) && json_string_value(value)[0] == '@';
}

static void translate(const struct pl_html *html, const json_t *values, json_t *node)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(node, key, value)
	{
		if (is_word(value) && !strcmp(json_string_value(value), "@NS_END"))
			json_object_set_new(node, key, json_real(axis_end(values)));
		else if (is_word(value))
			json_object_set_new(
				node, key,
				json_string(!strcmp(json_string_value(value), "@NS_AXIS")
						    ? axis_labels(values)
						    : word(html, json_string_value(value) + 1)));
		else
			translate(html, values, value);
	}
	json_array_foreach(node, i, value)
	{
		if (is_word(value))
			json_array_set_new(node, i,
					   json_string(word(html, json_string_value(value) + 1)));
		else
			translate(html, values, value);
	}
}

/*
 * "height": {"step": N} means N px per category, but Vega-Lite warns about it in a chart that fits
 * its width; the product says the same.
 */
static void set_height(json_t *spec, const json_t *values)
{
	json_t *step = json_object_get(json_object_get(spec, "height"), "step");
	const char *field = json_string_value(
		json_object_get(json_object_get(json_object_get(spec, "encoding"), "y"), "field"));
	json_t *seen = json_object();

	for (size_t i = 0; step && field && i < json_array_size(values); i++)
		json_object_set_new(
			seen, json_string_value(json_object_get(json_array_get(values, i), field)),
			json_true());
	if (step)
		json_object_set_new(spec, "height",
				    json_integer(json_integer_value(step) *
						 (json_int_t)json_object_size(seen)));
	json_decref(seen);
}

static json_t *spec_of(struct pl_html *html, const struct pl_chart *chart)
{
	const struct pl_asset *asset = pl_asset_find(chart->template);
	json_t *spec =
		asset ? json_loadb(asset->start, (size_t)(asset->end - asset->start), 0, NULL)
		      : NULL;
	char text[256];
	const char *stamp = pl_run_stamp(html->run, text, sizeof(text));

	if (!spec)
		return NULL;
	translate(html, chart->values, spec);
	set_height(spec, chart->values);
	json_object_set_new(spec, "title",
			    json_pack("{s:s, s:s}", "text", chart->title, "subtitle",
				      stamp ? pl_arena_printf(&html->arena, "%s · %s", html->board,
							      pl_out_short(&html->arena, stamp, ""))
					    : html->board));
	json_object_set_new(spec, "data", json_pack("{s:O}", "values", chart->values));
	return spec;
}

void pl_chart_put(struct pl_html *html, const struct pl_chart *chart)
{
	json_t *spec = json_array_size(chart->values) && html->charts ? spec_of(html, chart) : NULL;

	if (spec) {
		json_object_set_new(html->charts, chart->id, spec);
		pl_html(html,
			"<figure><div class=\"wide\" role=\"region\" tabindex=\"0\" "
			"aria-label=\"$\"><div class=\"chart\" id=\"c-$\"></div></div>"
			"<figcaption>$</figcaption></figure>\n",
			chart->title, chart->id, pl_html_str(html, chart->caption));
	}
	json_decref(chart->values);
}

const char *pl_chart_state(struct pl_html *html, const char *state)
{
	if (pl_state_is_same(state, NULL))
		return pl_html_str(html, PL_STR_AS_FOUND);
	return pl_html_word(html, pl_out_short(&html->arena, pl_state_text(state), "?"));
}
