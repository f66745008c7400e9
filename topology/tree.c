#include "topology/tree.h"

#include <stdlib.h>
#include <string.h>

/* A bridge as the parent of a bus. */
struct range {
	uint32_t domain;
	uint8_t secondary, subordinate;
	int node;
};

bool pl_node_is_bridge(const struct pl_node *node)
{
	return node->function.header_type == 1 || node->function.header_type == 2;
}

enum pl_role pl_node_role(const struct pl_node *node)
{
	return node->id ? node->id->role : PL_ROLE_NONE;
}

bool pl_node_is_to_pci(const struct pl_node *node)
{
	const struct pl_express *x = &node->function.express;

	if (node->function.header_type == 2)
		return true;
	if (!pl_node_is_bridge(node))
		return false;
	if (x->is_known || x->is_present)
		return !x->is_present || pl_express_port_type(x) == PL_PORT_TO_PCI;
	/* Subtractive decode: only conventional PCI bridges do that. */
	return pl_node_role(node) == PL_ROLE_PCI_BRIDGE || node->function.class_code == 0x060401;
}

static int compare_functions(const void *a, const void *b)
{
	return pl_bdf_compare(((const struct pl_node *)a)->function.bdf,
			      ((const struct pl_node *)b)->function.bdf);
}

int pl_tree_find(const struct pl_tree *tree, struct pl_bdf bdf)
{
	struct pl_node key = {.function = {.bdf = bdf}};
	const struct pl_node *hit = NULL;

	if (tree->count)
		hit = bsearch(&key, tree->nodes, tree->count, sizeof(key), compare_functions);
	return hit ? (int)(hit - tree->nodes) : PL_NO_NODE;
}

static bool is_configured(const struct pl_function *f)
{
	return f->secondary > f->bdf.bus && f->subordinate >= f->secondary;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	if (x->secondary != y->secondary)
		return x->secondary < y->secondary ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static size_t collect_ranges(const struct pl_tree *tree, struct range *ranges)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct pl_function *f = &tree->nodes[i].function;

		if (!pl_node_is_bridge(&tree->nodes[i]) || !is_configured(f))
			continue;
		ranges[count++] =
			(struct range){f->bdf.domain, f->secondary, f->subordinate, (int)i};
	}
	qsort(ranges, count, sizeof(*ranges), compare_ranges);
	return count;
}

/* First range of the domain with secondary >= bus. */
static size_t lower_bound(const struct range *ranges, size_t count, uint32_t domain, unsigned bus)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct range *r = &ranges[middle];

		if (r->domain < domain || (r->domain == domain && r->secondary < bus))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The innermost bridge whose range holds the bus, or PL_NO_NODE. */
static int enclosing(const struct range *ranges, size_t count, uint32_t domain, unsigned bus)
{
	for (size_t i = lower_bound(ranges, count, domain, bus); i-- > 0;) {
		if (ranges[i].domain != domain)
			break;
		if (ranges[i].subordinate >= bus)
			return ranges[i].node;
	}
	return PL_NO_NODE;
}

/* A function of a type that lives below a port, on a bus that no bridge leads to. */
static bool must_have_parent(const struct pl_node *node)
{
	switch (pl_express_port_type(&node->function.express)) {
	case PL_PORT_ENDPOINT:
	case PL_PORT_LEGACY_ENDPOINT:
	case PL_PORT_UPSTREAM:
	case PL_PORT_DOWNSTREAM:
	case PL_PORT_TO_PCI:
		break;
	default:
		return pl_node_role(node) == PL_ROLE_CHIPSET_UP ||
		       pl_node_role(node) == PL_ROLE_CHIPSET_DOWN;
	}
	/* Integrated devices and some root ports claim to be plain endpoints: on bus 0 there is
	 * nothing above. */
	return node->function.bdf.bus != 0;
}

static void link_to(struct pl_node *node, int parent, enum pl_parentage parentage)
{
	node->parent = parent;
	node->parentage = parentage;
}

static void find_parent(struct pl_node *node, const struct range *ranges, size_t count)
{
	struct pl_bdf bdf = node->function.bdf;
	size_t at = lower_bound(ranges, count, bdf.domain, bdf.bus);
	int around;

	if (at < count && ranges[at].domain == bdf.domain && ranges[at].secondary == bdf.bus) {
		bool twice = at + 1 < count && ranges[at + 1].domain == bdf.domain &&
			     ranges[at + 1].secondary == bdf.bus;

		link_to(node, ranges[at].node, twice ? PL_AMBIGUOUS : PL_BELOW_BRIDGE);
		return;
	}
	around = enclosing(ranges, count, bdf.domain, bdf.bus);
	if (around != PL_NO_NODE && node->function.is_virtual)
		link_to(node, around, PL_BELOW_BRIDGE);
	else if (around != PL_NO_NODE || must_have_parent(node))
		link_to(node, around, PL_ORPHAN);
	else
		link_to(node, PL_NO_NODE, PL_ON_ROOT_BUS);
}

/* Children in address order: walk backwards and push to the front. */
static void chain_children(struct pl_tree *tree)
{
	for (size_t i = tree->count; i-- > 0;) {
		struct pl_node *node = &tree->nodes[i];

		if (node->parent == PL_NO_NODE)
			continue;
		node->next_sibling = tree->nodes[node->parent].first_child;
		tree->nodes[node->parent].first_child = (int)i;
	}
}

void pl_tree_build(struct pl_tree *tree, struct pl_arena *arena,
		   const struct pl_function *functions, size_t count)
{
	struct range *ranges = pl_arena_array(arena, count, sizeof(*ranges));
	size_t range_count;

	*tree = (struct pl_tree){pl_arena_array(arena, count, sizeof(struct pl_node)), count,
				 arena};
	for (size_t i = 0; i < count; i++)
		tree->nodes[i] = (struct pl_node){
			.function = functions[i],
			.id = pl_id_find(functions[i].vendor_id, functions[i].device_id),
			.parent = PL_NO_NODE,
			.first_child = PL_NO_NODE,
			.next_sibling = PL_NO_NODE,
		};
	if (count)
		qsort(tree->nodes, count, sizeof(*tree->nodes), compare_functions);
	range_count = collect_ranges(tree, ranges);
	for (size_t i = 0; i < count; i++)
		find_parent(&tree->nodes[i], ranges, range_count);
	chain_children(tree);
}

const char *pl_bdf_short(struct pl_arena *arena, struct pl_bdf bdf)
{
	char text[PL_BDF_TEXT];

	pl_bdf_format(bdf, text);
	return pl_arena_strdup(arena, bdf.domain ? text : text + 5);
}
