#ifndef PL_SESSION_STORE_TEXT_H
#define PL_SESSION_STORE_TEXT_H

#include "core/arena.h"

/*
 * Fields of a journal line, separated by one space: every byte that is a blank, a control or '%'
 * is written as %XX, an unknown value as "-", and a value "-" as "%2D".
 */
const char *pl_store_escape(struct pl_arena *arena, const char *text);
/* The reverse; NULL for "-". */
const char *pl_store_unescape(struct pl_arena *arena, const char *field);
/* Cuts line into at most most fields in place; returns how many there are. */
size_t pl_store_split(char *line, char **fields, size_t most);

#endif
