#include "gpu_probe/card_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"

static char *line_of(const struct pl_sysroot *root, struct pl_arena *arena, const char *device,
		     const char *file)
{
	return pl_sysroot_line(root, pl_arena_printf(arena, "%s/%s", device, file), arena);
}

static void append(char *out, size_t size, const char *what, const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, size - used, "%s%s %s", used ? ", " : "", what, text);
}

/* amdgpu marks the level it runs at: "1: 2100Mhz *". */
static void append_level(const struct pl_sysroot *root, struct pl_arena *arena, const char *device,
			 const char *file, const char *what, struct pl_card_state *state)
{
	char *data, *save = NULL, *line;

	if (pl_sysroot_read(root, pl_arena_printf(arena, "%s/%s", device, file), arena, &data,
			    NULL))
		return;
	for (line = strtok_r(data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *star = strrchr(line, '*');
		char *value = strchr(line, ' ');

		if (!star || !value || value >= star)
			continue;
		while (star[-1] == ' ')
			star--;
		*star = '\0';
		append(state->clocks, sizeof(state->clocks), what, value + 1);
	}
}

/* i915 shows the frequency in the DRM card's folder, whose number is not ours to know. */
static void append_drm(const struct pl_sysroot *root, struct pl_arena *arena, const char *device,
		       struct pl_card_state *state)
{
	char **names;
	int count = pl_sysroot_list(root, pl_arena_printf(arena, "%s/drm", device), arena, &names);

	for (int i = 0; i < count; i++) {
		char *mhz;

		if (strncmp(names[i], "card", 4))
			continue;
		mhz = line_of(root, arena, device,
			      pl_arena_printf(arena, "drm/%s/gt_act_freq_mhz", names[i]));
		if (mhz)
			append(state->clocks, sizeof(state->clocks), "graphics",
			       pl_arena_printf(arena, "%s MHz", mhz));
	}
}

void pl_card_state_read(const struct pl_sysroot *root, struct pl_bdf bdf,
			struct pl_card_state *state)
{
	struct pl_arena arena = {NULL};
	char text[PL_BDF_TEXT];
	char *device = pl_arena_printf(&arena, "sys/bus/pci/devices/%s", pl_bdf_format(bdf, text));
	char *speed = line_of(root, &arena, device, "../current_link_speed");
	char *width = line_of(root, &arena, device, "../current_link_width");

	*state = (struct pl_card_state){"", ""};
	if (speed && width)
		snprintf(state->link, sizeof(state->link), "%s x%s", speed, width);
	append_level(root, &arena, device, "pp_dpm_sclk", "graphics", state);
	append_level(root, &arena, device, "pp_dpm_mclk", "memory", state);
	append_drm(root, &arena, device, state);
	pl_arena_fini(&arena);
}
