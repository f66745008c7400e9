#ifndef PL_CORE_TSC_H
#define PL_CORE_TSC_H

/* The one header with #ifdef: what the processor offers. Other files ask pl_tsc_is_built_in(). */

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>

static inline bool pl_tsc_is_built_in(void)
{
	return true;
}

/* CPUID 8000_0007h EDX bit 8: the TSC runs at a constant rate in all P-, C- and T-states. */
static inline bool pl_tsc_is_invariant(void)
{
	unsigned a, b, c, d = 0;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8));
}

/* CPUID 1 ECX bit 31: running under a hypervisor. */
static inline bool pl_cpu_is_virtual(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 31));
}

/* The 12 characters of CPUID 4000_0000h, the hypervisor's signature; "" without one. */
static inline void pl_cpu_hypervisor(char out[13])
{
	unsigned words[4] = {0, 0, 0, 0};

	out[0] = out[12] = '\0';
	if (!pl_cpu_is_virtual())
		return;
	__cpuid(0x40000000u, words[0], words[1], words[2], words[3]);
	__builtin_memcpy(out, &words[1], 12);
}

/* Start of a timed section: nothing before it is still in flight, nothing after it has begun. */
static inline uint64_t pl_tsc_begin(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}

/* End of a timed section: waits for the loads before it. */
static inline uint64_t pl_tsc_end(void)
{
	unsigned cpu;
	uint64_t t = __rdtscp(&cpu);

	_mm_lfence();
	return t;
}

static inline void pl_cpu_relax(void)
{
	_mm_pause();
}

/* Configuration space below 0x100 of domain 0 goes through I/O ports 0xCF8/0xCFC on x86. */
static inline bool pl_cpu_has_config_ports(void)
{
	return true;
}

#else

static inline bool pl_tsc_is_built_in(void)
{
	return false;
}

static inline bool pl_tsc_is_invariant(void)
{
	return false;
}

static inline bool pl_cpu_is_virtual(void)
{
	return false;
}

static inline void pl_cpu_hypervisor(char out[13])
{
	out[0] = '\0';
}

static inline uint64_t pl_tsc_begin(void)
{
	return 0;
}

static inline uint64_t pl_tsc_end(void)
{
	return 0;
}

static inline void pl_cpu_relax(void)
{
}

static inline bool pl_cpu_has_config_ports(void)
{
	return false;
}

#endif
#endif
