#include "report/pack.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* zlib.h: the largest window, with a gzip header */
#define START_BYTES 65536

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_base64(const unsigned char *data, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i += 3) {
		unsigned left = size - i < 3 ? (unsigned)(size - i) : 3;
		unsigned bits = (unsigned)data[i] << 16;

		bits |= left > 1 ? (unsigned)data[i + 1] << 8 : 0;
		bits |= left > 2 ? data[i + 2] : 0;
		fputc(digits[bits >> 18], out);
		fputc(digits[bits >> 12 & 63], out);
		fputc(left > 1 ? digits[bits >> 6 & 63] : '=', out);
		fputc(left > 2 ? digits[bits & 63] : '=', out);
	}
}

int pl_pack(const char *text, size_t size, FILE *out)
{
	z_stream z = {.avail_in = (uInt)size};
	unsigned char *data = NULL;
	int code = -ENOMEM;

	z.next_in = (Bytef *)(uintptr_t)text; /* not written to */
	if (size != z.avail_in || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
					       MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	z.avail_out = (uInt)deflateBound(&z, size);
	data = malloc(z.avail_out);
	z.next_out = data;
	if (data && deflate(&z, Z_FINISH) == Z_STREAM_END) {
		put_base64(data, z.total_out, out);
		code = 0;
	}
	free(data);
	deflateEnd(&z);
	return code;
}

/* Bytes written to data, at most 3 for each 4 characters; 0 when there is another character. */
static size_t get_base64(const char *packed, size_t length, unsigned char *data)
{
	size_t size = 0;
	unsigned bits = 0;

	while (length && packed[length - 1] == '=')
		length--;
	for (size_t i = 0; i < length; i++) {
		const char *at = packed[i] ? strchr(digits, packed[i]) : NULL;

		if (!at)
			return 0;
		bits = bits << 6 | (unsigned)(at - digits);
		if (i % 4)
			data[size++] = (unsigned char)(bits >> (6 - 2 * (i % 4)) & 255);
	}
	return size;
}

/* Grows to what is in there; NULL when it is not whole. */
static char *inflate_all(z_stream *z, size_t most)
{
	size_t room = START_BYTES;
	char *text = malloc(room + 1);
	int code = Z_OK;

	while (text && code == Z_OK) {
		char *larger;

		z->next_out = (Bytef *)text + z->total_out;
		z->avail_out = (uInt)(room - z->total_out);
		code = inflate(z, Z_NO_FLUSH);
		if (code != Z_OK || z->avail_out)
			continue;
		room *= 2;
		larger = room <= 2 * most ? realloc(text, room + 1) : NULL;
		if (!larger)
			break;
		text = larger;
	}
	if (text && code == Z_STREAM_END && z->total_out <= most) {
		text[z->total_out] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

char *pl_unpack(const char *packed, size_t length, size_t most)
{
	unsigned char *data = malloc(length + 1);
	size_t size = data ? get_base64(packed, length, data) : 0;
	z_stream z = {.next_in = data, .avail_in = (uInt)size};
	char *text = NULL;

	if (size && size == z.avail_in && inflateInit2(&z, GZIP_WINDOW) == Z_OK) {
		text = inflate_all(&z, most);
		inflateEnd(&z);
	}
	free(data);
	return text;
}
