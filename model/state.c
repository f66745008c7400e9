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

/* A name, or "device_A_uplink_B". */
static int parse_pair(const char *name, struct pl_state *state)
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
	state->device = states[device].bits;
	state->uplink = states[uplink].bits;
	return 0;
}

/* "device_and_2_uplinks": so many links above are as found too. */
static int parse_partial(const char *count, struct pl_state *state)
{
	unsigned n = (unsigned)(*count - '0');

	if (n < 1 || n > 9 || strcmp(count + 1, n > 1 ? "_uplinks" : "_uplink") != 0)
		return -EINVAL;
	state->device = state->uplink = PL_STATE_AS_FOUND;
	state->uplinks = n;
	return 0;
}

int pl_state_parse(const char *name, struct pl_state *state)
{
	const char *rest;

	*state = (struct pl_state){.uplinks = PL_STATE_ALL_UPLINKS};
	if (!name)
		name = "as_found";
	if (!strcmp(name, "device_only"))
		name = "device_as_found_uplink_off";
	else if (!strcmp(name, "uplink_only"))
		name = "device_off_uplink_as_found";
	rest = skip(name, "device_and_");
	if (rest)
		return parse_partial(rest, state);
	rest = skip(name, "raised_");
	state->is_raised = rest != NULL;
	return parse_pair(rest ? rest : name, state);
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

/* Names of more than one word, as a sentence says them. */
static const struct {
	const char *name, *text;
} compounds[] = {
	{"uplink_only", "off, the links above it as found"},
	{"device_only", "its state as found, the links above it off"},
	{"device_and_1_uplink", "its state as found, with one link above it"},
	{"device_and_2_uplinks", "its state as found, with two links above it"},
	{"device_and_3_uplinks", "its state as found, with three links above it"},
	{"device_l0s_uplink_off", "L0s, the links above it off"},
	{"device_l1_uplink_off", "L1, the links above it off"},
	{"device_l0s_l1_uplink_off", "L0s and L1, the links above it off"},
	{"device_l1_1_uplink_off", "L1.1, the links above it off"},
	{"device_l1_2_uplink_off", "L1.2, the links above it off"},
	{"raised_l0s", "L0s, raised"},
	{"raised_l1", "L1, raised"},
	{"raised_l0s_l1", "L0s and L1, raised"},
	{"raised_l1_1", "L1.1, raised"},
	{"raised_l1_2", "L1.2, raised"},
};

const char *pl_state_text(const char *name)
{
	if (!name)
		name = "as_found";
	for (size_t i = 0; i < STATES; i++)
		if (!strcmp(name, states[i].name))
			return states[i].text;
	for (size_t i = 0; i < sizeof(compounds) / sizeof(compounds[0]); i++)
		if (!strcmp(name, compounds[i].name))
			return compounds[i].text;
	return name;
}
