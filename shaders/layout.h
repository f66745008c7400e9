#ifndef PL_SHADERS_LAYOUT_H
#define PL_SHADERS_LAYOUT_H

/*
 * What the kernels and the host agree on; both include this file, so it holds only what means the
 * same in GLSL and in C (`uint` is the C library's in C). One pipeline layout serves all kernels.
 */

#define PL_BINDING_CHAIN 0  /* the memory under test: word indices of a cycle, or plain data */
#define PL_BINDING_RESULT 1 /* host memory, written once at the end of a kernel */

/* Loads per loop turn: llvmpipe silently ends a kernel after 65,535 loop turns. */
#define PL_CHASE_UNROLL 16
/*
 * What one dispatch of the timing kernels keeps on chip (Vulkan grants 16 KiB) until its last load
 * is done: a store to host memory between two loads would travel over the link that is measured.
 * The first values are kept one by one; the histogram has them all.
 */
#define PL_RECORD_LOADS 2048
/*
 * Bins of the histogram of timed loads, in ticks: each tick has its own below 2 * PL_BINS_OCTAVE,
 * above that an octave has PL_BINS_OCTAVE (6 % wide at most), up to 32 bits.
 */
#define PL_BINS_OCTAVE 16
#define PL_BINS_SHIFT 4 /* log2 of that */
#define PL_BINS ((32 - PL_BINS_SHIFT + 1) * PL_BINS_OCTAVE)
#define PL_RECORD_GAPS 512
#define PL_GAP_REAL 0   /* of each gap record: ticks that really passed without a load */
#define PL_GAP_FIRST 1  /* ticks of the load after the gap */
#define PL_GAP_SECOND 2 /* ticks of the load right after that one */
#define PL_GAP_WORDS 3
/* Words of a chain that fits the on-chip memory (8 KiB). */
#define PL_ON_CHIP_WORDS 2048
/* Clock reads per loop turn: while a gap is long, and while the clock is calibrated. */
#define PL_CLOCK_BURST 16
#define PL_PONG_REPLY 64 /* word index of the reply flag: a line of its own */

/* result[] of every kernel begins with these; the records follow. */
#define PL_RESULT_END 0   /* the index where the chase ended, or the sum of a read */
#define PL_RESULT_COUNT 1 /* loads, rounds or turns that the kernel really did */
#define PL_RESULT_TICKS 2 /* ticks of the clock over the whole kernel, where it has one */
#define PL_RESULT_EMPTY 3 /* least ticks of a pair of clock reads with nothing between */
#define PL_RESULT_RECORD 16
#define PL_RESULT_BINS (PL_RESULT_RECORD + PL_RECORD_LOADS) /* of the timed loads */

/* Push constants. Every kernel uses the fields it needs. */
struct pl_push {
	uint count;  /* loads, pairs, passes or rounds */
	uint start;  /* word index of the first node */
	uint zero;   /* always 0, which the compiler cannot know */
	uint gap;    /* idle ticks before a load */
	uint coarse; /* while more ticks than this are left of a gap, read the clock in bursts */
	uint clock_mask; /* bits of the clock of gaps that count */
	uint load_mask;  /* bits of the clock of loads that count */
	uint words;      /* size of the region */
	uint polls;      /* loop turns after which a waiting kernel gives up */
	uint round;      /* ping-pong: the value of the flag before the first round */
};

#endif
