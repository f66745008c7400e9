#ifndef PL_PCI_DECODE_H
#define PL_PCI_DECODE_H

#include <stdint.h>

#include "model/slot.h"
#include "pci/express.h"

/* Register fields in units of this project. Pure; tables from PCIe §7.5.3 and §7.8.3. */

/* Speed code 1 … 6 to MT/s (2500 … 64000); 0 for other codes. */
unsigned pl_decode_speed_mts(unsigned code);
/* LnkCap [14:12] and [17:15]: upper bound of the class, INT64_MAX for the open one ("> 4 us"). */
int64_t pl_decode_l0s_exit_ns(unsigned code);
int64_t pl_decode_l1_exit_ns(unsigned code);
/* DevCap [8:6] and [11:9]; INT64_MAX: no limit. */
int64_t pl_decode_l0s_acceptable_ns(unsigned code);
int64_t pl_decode_l1_acceptable_ns(unsigned code);
/* L1SS T_POWER_ON: scale (2, 10, 100 us) times value; -1 for the reserved scale. */
int64_t pl_decode_power_on_ns(unsigned scale, unsigned value);
/* LTR and LTR_L1.2_THRESHOLD: value times 1, 32, 1024 … ns; -1 for the reserved scales. */
int64_t pl_decode_ltr_ns(unsigned scale, unsigned value);

/* One end of a link from its registers; fields that they do not give stay unknown. */
void pl_decode_link_end(const struct pl_express *express, struct pl_bdf bdf,
			struct pl_link_end *end);

#endif
