#ifndef PL_TOPOLOGY_DUMP_TEXT_H
#define PL_TOPOLOGY_DUMP_TEXT_H

#include "pci/config_space.h"
#include "topology/tree.h"

/* Inside of the reader of lspci texts: what its files share. */

#define PL_DUMP_CONFIG_BYTES 4096

/* A function as the lines collect it. */
struct pl_text_function {
	struct pl_function f;
	unsigned line;     /* where it begins */
	const char *title; /* "VENDOR DEVICE NAME" without numbers; NULL: no name in the text */
	bool has_ids, has_class, has_buses, is_in_list, is_in_tree;
	bool is_verbose; /* there are property lines, so that missing ones mean something */
	bool is_denied;  /* "Capabilities: <access denied>" */
	uint8_t *config; /* hex lines; NULL: none */
	size_t config_bytes;
};

struct pl_text_dump {
	const char *name; /* of the file, for sentences */
	struct pl_arena *arena;
	struct pl_text_function **items; /* in order of appearance */
	size_t count, capacity;
	struct pl_text_function *current; /* whose lines follow; NULL */
	unsigned tree_lines, hex_lines, list_lines;
	const char *section; /* last property with continuation lines: "LnkCap", … */
	/* -t: the bus that each column of the picture belongs to. */
	struct pl_text_function *column_bridge[512];
	uint32_t column_domain[512];
	int column_bus[512];
};

/* The function with this address, made when it is new. */
struct pl_text_function *pl_text_function_at(struct pl_text_dump *dump, struct pl_bdf bdf,
					     unsigned line);
/* "00:01.1 PCI bridge [0604]: …" after the address: class, names, ids. */
void pl_text_title(struct pl_text_dump *dump, struct pl_text_function *function, const char *text);
/* An indented line of lspci -v … -vvv. */
void pl_text_property(struct pl_text_dump *dump, struct pl_text_function *function,
		      const char *line);
/* A line of lspci -t; false: it is none. */
bool pl_text_tree_line(struct pl_text_dump *dump, const char *line, unsigned number);
/* Ids and classes from names, where the text has no numbers. */
void pl_text_find_ids(struct pl_text_dump *dump, struct pl_pci *pci);

#endif
