#ifndef PL_GPU_PROBE_CARD_STATE_H
#define PL_GPU_PROBE_CARD_STATE_H

#include "core/sysroot.h"
#include "model/bdf.h"

/* What a card runs at now, as text to compare and to print; "" where the kernel does not say. */
struct pl_card_state {
	char link[64]; /* "16.0 GT/s PCIe x16": of the port above, so that the card is not woken */
	char clocks[160]; /* "graphics 2100 MHz, memory 1000 MHz" as far as a driver shows them */
};

/* Reads sysfs only; what is missing stays empty. */
void pl_card_state_read(const struct pl_sysroot *root, struct pl_bdf bdf,
			struct pl_card_state *state);

#endif
