#include "core/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGN_BYTES ((size_t)16)

struct pl_arena_block {
	struct pl_arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static struct pl_arena_block *block_new(size_t size_bytes)
{
	struct pl_arena_block *block = must(calloc(1, sizeof(*block) + size_bytes));

	block->size = size_bytes;
	return block;
}

void *pl_arena_alloc(struct pl_arena *arena, size_t size_bytes)
{
	size_t need = (size_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
	void *memory;

	if (need < size_bytes)
		abort();
	if (!arena->head || arena->head->size - arena->head->used < need) {
		struct pl_arena_block *block = block_new(need > BLOCK_BYTES ? need : BLOCK_BYTES);

		block->next = arena->head;
		arena->head = block;
	}
	memory = arena->head->bytes + arena->head->used;
	arena->head->used += need;
	return memory;
}

void *pl_arena_array(struct pl_arena *arena, size_t count, size_t size_bytes)
{
	if (size_bytes && count > SIZE_MAX / size_bytes)
		abort();
	return pl_arena_alloc(arena, count * size_bytes);
}

char *pl_arena_strdup(struct pl_arena *arena, const char *text)
{
	size_t bytes;
	char *copy;

	if (!text)
		return NULL;
	bytes = strlen(text) + 1;
	copy = pl_arena_alloc(arena, bytes);
	memcpy(copy, text, bytes);
	return copy;
}

char *pl_arena_printf(struct pl_arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		abort();
	text = pl_arena_alloc(arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void *pl_arena_push(struct pl_arena *arena, void **items, size_t *count, size_t *capacity,
		    size_t size_bytes)
{
	if (*count == *capacity) {
		size_t grown = *capacity ? *capacity * 2 : 8;
		void *moved = pl_arena_array(arena, grown, size_bytes);

		if (*count)
			memcpy(moved, *items, *count * size_bytes);
		*items = moved;
		*capacity = grown;
	}
	return (char *)*items + (*count)++ * size_bytes;
}

void pl_arena_fini(struct pl_arena *arena)
{
	while (arena->head) {
		struct pl_arena_block *next = arena->head->next;

		free(arena->head);
		arena->head = next;
	}
}
