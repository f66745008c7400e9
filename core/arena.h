#ifndef PL_CORE_ARENA_H
#define PL_CORE_ARENA_H

#include <stddef.h>

struct pl_arena_block;

/*
 * Memory that lives and dies together. A zeroed struct is an empty arena. Memory comes zeroed and
 * aligned for any type; out of memory aborts (a measuring tool that cannot hold its own facts has
 * nothing to report), so no caller checks for NULL.
 */
struct pl_arena {
	struct pl_arena_block *head;
};

void *pl_arena_alloc(struct pl_arena *arena, size_t size_bytes);
/* count * size_bytes, overflow checked; zero gives a valid pointer. */
void *pl_arena_array(struct pl_arena *arena, size_t count, size_t size_bytes);
/* NULL stays NULL. */
char *pl_arena_strdup(struct pl_arena *arena, const char *text);
char *pl_arena_printf(struct pl_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Grows an array by one element: *items has count elements of size_bytes and *capacity places.
 * Returns the new, zeroed element; *items may move, so keep no pointers into arrays that grow.
 */
void *pl_arena_push(struct pl_arena *arena, void **items, size_t *count, size_t *capacity,
		    size_t size_bytes);
void pl_arena_fini(struct pl_arena *arena);

#endif
