#include "report/samples.h"

#include <endian.h>
#include <string.h>

#include "report/out.h"
#include "report/report.h"

#define CHUNK 4096

static unsigned element_bytes(const struct pl_measurement *m)
{
	uint64_t all = 0;

	if (!m->ticks || !m->n)
		return 0;
	for (size_t i = 0; i < m->n; i++)
		all |= m->ticks[i];
	return all >> 32 ? 8 : 4;
}

struct pl_samples_place pl_samples_place(const struct pl_measurement *m, uint64_t offset_bytes,
					 uint64_t *end)
{
	struct pl_samples_place place = {offset_bytes, element_bytes(m)};

	*end = (offset_bytes + (uint64_t)m->n * place.element_bytes + 7) & ~UINT64_C(7);
	return place;
}

static size_t pack_chunk(const uint64_t *ticks, size_t count, unsigned bytes, void *out)
{
	uint32_t *narrow = out;
	uint64_t *wide = out;

	for (size_t i = 0; i < count; i++)
		if (bytes == 4)
			narrow[i] = htole32((uint32_t)ticks[i]);
		else
			wide[i] = htole64(ticks[i]);
	return count * bytes;
}

static void write_series(const struct pl_measurement *m, unsigned bytes, FILE *out)
{
	uint64_t chunk[CHUNK];
	static const char zeros[8] = {0};
	size_t written = 0;

	for (size_t i = 0; i < m->n; i += CHUNK) {
		size_t count = m->n - i < CHUNK ? m->n - i : CHUNK;
		size_t size = pack_chunk(m->ticks + i, count, bytes, chunk);

		fwrite(chunk, 1, size, out);
		written += size;
	}
	fwrite(zeros, 1, (8 - written % 8) % 8, out);
}

int pl_report_write_samples(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	const uint32_t header[] = {htole32(PL_SAMPLES_VERSION), 0};
	uint64_t at = PL_SAMPLES_HEADER_BYTES;

	fwrite(PL_SAMPLES_MAGIC, 1, 8, out);
	fwrite(header, 1, sizeof(header), out);
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		struct pl_samples_place place = pl_samples_place(m, at, &at);

		if (place.element_bytes)
			write_series(m, place.element_bytes, out);
	}
	return pl_out_finish(out, err);
}
