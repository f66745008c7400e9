#ifndef PL_CORE_FMT_H
#define PL_CORE_FMT_H

#include <stddef.h>
#include <stdint.h>

/* The only place that knows how units look to a person. All write at most size bytes with a NUL. */

/* "651 ns", "30.4 µs", "2.05 ms", "1.20 s": three significant digits; NaN gives "n/a". */
char *pl_fmt_ns(char *out, size_t size, double ns);
/* "512 B", "4 KiB", "1 GiB". */
char *pl_fmt_bytes(char *out, size_t size, uint64_t bytes);
/*
 * "570 ± 9 ns" or "30.4 ± 0.6 µs": the half width to one significant digit (two when it begins
 * with 1), the estimate to the same decimal, one unit for both.
 */
char *pl_fmt_ns_pm(char *out, size_t size, double ns, double half_width_ns);
/* "1 h 05 min", "3 min 20 s", "42 s". */
char *pl_fmt_duration(char *out, size_t size, double seconds);
/*
 * Bytes from hardware or a user for a terminal: control characters, invalid UTF-8 and characters
 * that change direction become '?'; at most size-1 bytes, cut at a character border.
 */
char *pl_fmt_printable(char *out, size_t size, const char *text);

/*
 * "1us", "40 us", "10ms", "1s", "5min" or "5m", "2h", "500" (ns) to ns; "512", "4K", "1MiB" to
 * bytes. 0 or -EINVAL, -ERANGE.
 */
int pl_fmt_parse_ns(const char *text, uint64_t *ns);
/* A plain number (decimal, 0x…, 0…) from 0 to limit; the whole text must be it. */
int pl_fmt_parse_u64(const char *text, uint64_t limit, uint64_t *value);
int pl_fmt_parse_bytes(const char *text, uint64_t *bytes);

#endif
