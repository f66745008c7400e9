/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holding QEMU's main loop: the plugin's callback for a doorbell runs after
 * the store, and the queue is served by the main-loop thread. Waiting in the
 * vCPU would therefore run beside the device instead of before it. So the
 * doorbell only sets a deadline, and a ppoll() of our own, preloaded in front
 * of the C library's, holds the main loop until then.
 */
#ifndef VB_HOLD_H
#define VB_HOLD_H

#include <stdint.h>

/* Called once, before the guest runs. `hot_ns` may change later. */
void vb_hold_init(const uint64_t *hot_ns);

/* The main loop serves nothing before this time (CLOCK_MONOTONIC). */
void vb_hold_until(uint64_t deadline_ns);

uint64_t vb_now_ns(void);
void vb_spin_until(uint64_t ns);

/* Keep the calling thread on one CPU when there are several; with `realtime`, before others. */
void vb_pin(unsigned cpu);
void vb_use_realtime(void);

#endif
