#ifndef PL_MODEL_STATE_H
#define PL_MODEL_STATE_H

#include <limits.h>
#include <stdbool.h>

/*
 * The name of a link state of a path, as it stands in conditions.state:
 *
 *   as_found                    nothing was changed
 *   off                         every link of the path off
 *   l0s, l1, l0s_l1, l1_1, l1_2 that state allowed on every link of the path
 *   device_A_uplink_B           the link of the device in A, all links above it in B,
 *                               e.g. device_l1_uplink_off, device_off_uplink_as_found
 *   device_only                 the link of the device as found, the links above it off
 *   device_and_N_uplink(s)      the link of the device and the N above it as found, the rest off
 *   raised_A                    A on every link that can, more than firmware enabled
 *   off_again                   links off once more: the run's own control, must equal off
 *   uplink_only                 the link of the device off, the links above it as found
 */

/* Beside the bits of enum pl_aspm: left as it was found. */
#define PL_STATE_AS_FOUND (1u << 16)

/* Which states are allowed: enum pl_aspm bits (0: off), or PL_STATE_AS_FOUND. */
struct pl_state {
	unsigned device, uplink;
	unsigned uplinks; /* links above that are in `uplink`, nearest to the device first; the
			     others are off */
	bool is_raised;
};

#define PL_STATE_ALL_UPLINKS UINT_MAX

/* 0, or -EINVAL for a name that is none of the above. NULL is "as_found". */
int pl_state_parse(const char *name, struct pl_state *state);
/* Whether a name means that every link of the path is off. */
bool pl_state_is_off(const char *name);
/* A control, not a state of interest: off_again, or the device off with links above in a state. */
bool pl_state_is_control(const char *name);
/* Whether two names are the same state; NULL is "as_found". */
bool pl_state_is_same(const char *a, const char *b);
/* "L1", "L0s and L1", "L1, the links above off", … for sentences; the name when not known. */
const char *pl_state_text(const char *name);

#endif
