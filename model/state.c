#include "model/state.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "model/aspm.h"

/* Longer names first: a name is found by its beginning. */
static const struct {
	const char *name;
	unsigned bits;
	const char *text;
} states[] = {
	{"as_found", PL_STATE_AS_FOUND, "its state as found"},
	{"off_again", 0, "off again"},
	{"off", 0, "off"},
	{"l0s_l1", PL_ASPM_L0S | PL_ASPM_L1, "L0s and L1"},
	{"l0s", PL_ASPM_L0S, "L0s"},
	{"l1_1", PL_ASPM_L1 | PL_ASPM_L1_1, "L1.1"},
	{"l1_2", PL_ASPM_L1 | PL_ASPM_L1_2, "L1.2"},
	{"l1", PL_ASPM_L1, "L1"},
};
#define STATES (sizeof(states) / sizeof(states[0]))

/* The state that a name begins with; *rest is what follows it. */
static int find(const char *name, const char **rest)
{
	for (size_t i = 0; i < STATES; i++) {
		size_t length = strlen(states[i].name);

		if (!strncmp(name, states[i].name, length)) {
			*rest = name + length;
			return (int)i;
		}
	}
	return -EINVAL;
}

static const char *skip(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? NULL : text + length;
}

static int parse(const char *name, struct pl_state *state)
{
	const char *pair = skip(name, "device_"), *rest = NULL;
	int device = find(pair ? pair : name, &rest), uplink = device;

	if (device < 0)
		return device;
	if (pair) {
		pair = skip(rest, "_uplink_");
		uplink = pair ? find(pair, &rest) : -EINVAL;
	}
	if (uplink < 0 || *rest)
		return -EINVAL;
	*state = (struct pl_state){states[device].bits, states[uplink].bits};
	return 0;
}

int pl_state_parse(const char *name, struct pl_state *state)
{
	if (!name)
		name = "as_found";
	if (!strcmp(name, "device_only"))
		name = "device_as_found_uplink_off";
	else if (!strcmp(name, "uplink_only"))
		name = "device_off_uplink_as_found";
	return parse(name, state);
}

bool pl_state_is_control(const char *name)
{
	struct pl_state state;

	return !pl_state_parse(name, &state) && !state.device &&
	       (state.uplink || !strcmp(name, "off_again"));
}

bool pl_state_is_off(const char *name)
{
	struct pl_state state;

	return !pl_state_is_control(name) && !pl_state_parse(name, &state) && !state.device &&
	       !state.uplink;
}

bool pl_state_is_same(const char *a, const char *b)
{
	return !strcmp(a ? a : "as_found", b ? b : "as_found");
}

const char *pl_state_text(const char *name)
{
	for (size_t i = 0; i < STATES; i++)
		if (!strcmp(name ? name : "as_found", states[i].name))
			return states[i].text;
	return name;
}
