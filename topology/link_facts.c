#include "topology/link_facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/decode.h"

#define LTR_ENABLE (1u << 10)      /* DevCtl2 */
#define ATOMIC_ROUTING (1u << 6)   /* DevCap2: a switch port routes AtomicOps */
#define ATOMIC_COMPLETER (3u << 7) /* DevCap2: 32- and 64-bit completer (a root port) */
#define ATOMIC_BLOCK (1u << 7)     /* DevCtl2: egress blocking of an upstream port */
#define HOT_PLUG (1u << 6)         /* SltCap */

struct facts {
	struct pl_run *run;
	const struct pl_tree *tree;
	const struct pl_sysroot *root;
};

void pl_slot_warn(struct pl_run *run, struct pl_slot *slot, const char *format, ...)
{
	const char **grown =
		pl_arena_array(&run->arena, slot->warning_count + 1, sizeof(const char *));
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (slot->warning_count)
		memcpy(grown, slot->warnings, slot->warning_count * sizeof(*grown));
	grown[slot->warning_count++] = pl_arena_strdup(&run->arena, text);
	slot->warnings = grown;
}

static const struct pl_function *function_of(const struct facts *f, int node)
{
	return &f->tree->nodes[node].function;
}

static int64_t read_count(const struct facts *f, const char *path, const char *key)
{
	struct pl_arena arena = {NULL};
	char *text = NULL, *at;
	int64_t value = -1;

	if (!pl_sysroot_read(f->root, path, &arena, &text, NULL)) {
		at = strstr(text, key);
		if (at)
			value = strtoll(at + strlen(key), NULL, 10);
	}
	pl_arena_fini(&arena);
	return value;
}

/* The kernel's counters since boot (Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats). */
static void count_errors(const struct facts *f, struct pl_link_end *end)
{
	static const struct {
		const char *file, *key;
	} counters[] = {{"aer_dev_correctable", "TOTAL_ERR_COR"},
			{"aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"},
			{"aer_dev_fatal", "TOTAL_ERR_FATAL"}};
	int64_t *values[] = {&end->aer_correctable, &end->aer_nonfatal, &end->aer_fatal};
	char bdf[PL_BDF_TEXT], path[128];

	pl_bdf_format(end->bdf, bdf);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", bdf, counters[i].file);
		*values[i] = read_count(f, path, counters[i].key);
		if (*values[i] < 0 && i == 0)
			return;
	}
}

/* "16.0 GT/s PCIe" and "4": what the kernel shows to everybody. */
static unsigned sysfs_speed_mts(const struct facts *f, const char *bdf, const char *file)
{
	struct pl_arena arena = {NULL};
	char path[128];
	const char *line;
	double gts = 0;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", bdf, file);
	line = pl_sysroot_line(f->root, path, &arena);
	if (line)
		gts = strtod(line, NULL);
	pl_arena_fini(&arena);
	return gts > 0 && gts < 1000 ? (unsigned)(gts * 1000 + 0.5) : 0;
}

static unsigned sysfs_width(const struct facts *f, const char *bdf, const char *file)
{
	uint64_t width = 0;
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", bdf, file);
	if (pl_sysroot_u64(f->root, path, &width) || width > 32)
		return 0;
	return (unsigned)width;
}

/* Registers beyond 64 bytes are for root; the kernel shows these four to everybody. */
static void ask_sysfs(const struct facts *f, struct pl_link_end *end, struct pl_link *link)
{
	char bdf[PL_BDF_TEXT];

	if (end->is_readable || !f->root)
		return;
	pl_bdf_format(end->bdf, bdf);
	end->max_speed_mts = sysfs_speed_mts(f, bdf, "max_link_speed");
	end->max_width = sysfs_width(f, bdf, "max_link_width");
	if (link->width)
		return;
	link->speed_mts = sysfs_speed_mts(f, bdf, "current_link_speed");
	link->width = sysfs_width(f, bdf, "current_link_width");
}

static void read_trained(const struct pl_express *x, struct pl_link *link)
{
	if (!x->has_link || link->width || !(x->link_sta >> 4 & 0x3f))
		return;
	link->speed_mts = pl_decode_speed_mts(x->link_sta & 0xf);
	link->width = x->link_sta >> 4 & 0x3f;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* L0s is each sender's own; L1 and its substates need both ends. Clock PM is the lower end's. */
static unsigned combine(unsigned up, unsigned down)
{
	if (up == PL_ASPM_UNKNOWN || down == PL_ASPM_UNKNOWN)
		return PL_ASPM_UNKNOWN;
	return (up & down & ~(unsigned)PL_ASPM_CLKPM) | (down & PL_ASPM_CLKPM);
}

static void combine_ends(struct pl_link *link, bool is_occupied)
{
	const struct pl_link_end *up = &link->up, *down = &link->down;

	link->max_speed_mts = smaller(up->max_speed_mts, down->max_speed_mts);
	link->max_width = smaller(up->max_width, down->max_width);
	link->l0s_exit_ns = larger(up->l0s_exit_ns, down->l0s_exit_ns);
	link->l1_exit_ns = larger(up->l1_exit_ns, down->l1_exit_ns);
	link->aspm_supported = is_occupied ? combine(up->aspm_supported, down->aspm_supported)
					   : up->aspm_supported;
	link->aspm_enabled =
		is_occupied ? combine(up->aspm_enabled, down->aspm_enabled) : up->aspm_enabled;
}

static void read_endpoint(const struct pl_express *x, struct pl_link *link)
{
	if (x->has_device) {
		link->l0s_acceptable_ns = pl_decode_l0s_acceptable_ns(x->device_cap >> 6 & 7);
		link->l1_acceptable_ns = pl_decode_l1_acceptable_ns(x->device_cap >> 9 & 7);
	}
	if (x->has_device2)
		link->ltr_enabled = (x->device_ctl2 & LTR_ENABLE) != 0;
	if (x->has_link)
		link->clkpm_enabled = (x->link_ctl & 1u << 8) != 0;
}

/* As the kernel decides whether a device may send AtomicOps to memory. */
static int routes_atomics(const struct facts *f, int port)
{
	for (int at = port; at != PL_NO_NODE; at = f->tree->nodes[at].parent) {
		const struct pl_express *x = &function_of(f, at)->express;
		enum pl_port_type type = pl_express_port_type(x);

		if (!x->has_device2)
			return -1;
		if (type == PL_PORT_ROOT && !(x->device_cap2 & ATOMIC_COMPLETER))
			return 0;
		if (type != PL_PORT_ROOT && !(x->device_cap2 & ATOMIC_ROUTING))
			return 0;
		if (type == PL_PORT_UPSTREAM && (x->device_ctl2 & ATOMIC_BLOCK))
			return 0;
	}
	return 1;
}

/* The link above the far end and all links above that one: where is least bandwidth? */
static void find_bottleneck(const struct facts *f, const struct pl_entry *entry,
			    struct pl_link *link)
{
	uint64_t least = (uint64_t)link->speed_mts * link->width;
	int at = entry->port;

	if (!least)
		return;
	link->path_speed_mts = link->speed_mts;
	link->path_width = link->width;
	for (at = f->tree->nodes[at].parent; at != PL_NO_NODE; at = f->tree->nodes[at].parent) {
		const struct pl_express *x = &function_of(f, at)->express;
		unsigned speed = pl_decode_speed_mts(x->link_sta & 0xf);
		unsigned width = x->link_sta >> 4 & 0x3f;
		enum pl_port_type type = pl_express_port_type(x);

		if (!x->has_link || (type != PL_PORT_ROOT && type != PL_PORT_DOWNSTREAM) ||
		    !width || (uint64_t)speed * width >= least)
			continue;
		least = (uint64_t)speed * width;
		link->path_speed_mts = speed;
		link->path_width = width;
		link->limited_by = pl_bdf_short(&f->run->arena, function_of(f, at)->bdf);
	}
}

/* Other ports of the same CPU device: how the lanes of the slot group are split now. */
static void describe_split(const struct facts *f, struct pl_slot *slot, int port)
{
	const struct pl_function *mine = function_of(f, port);
	const char *text = NULL;
	size_t ports = 0;

	if (pl_node_role(&f->tree->nodes[port]) != PL_ROLE_CPU_PORT || !mine->express.has_link)
		return;
	for (int at = port; at-- > 0;) {
		const struct pl_function *o = function_of(f, at);

		if (o->bdf.bus != mine->bdf.bus || o->bdf.dev != mine->bdf.dev)
			break;
		port = at;
	}
	for (size_t at = (size_t)port; at < f->tree->count; at++) {
		const struct pl_function *o = function_of(f, (int)at);

		if (o->bdf.bus != mine->bdf.bus || o->bdf.dev != mine->bdf.dev ||
		    o->bdf.domain != mine->bdf.domain)
			break;
		if (!o->express.has_link)
			continue;
		text = pl_arena_printf(&f->run->arena, "%s%s.%x x%u", text ? text : "",
				       text ? ", " : "", o->bdf.fn,
				       o->express.link_cap >> 4 & 0x3f);
		ports++;
	}
	if (ports > 1)
		slot->bifurcation =
			pl_arena_printf(&f->run->arena, "ports of CPU device %02x:%02x: %s",
					mine->bdf.bus, mine->bdf.dev, text);
}

static void read_slot_register(const struct pl_express *x, struct pl_slot *slot)
{
	if (!x->has_slot)
		return;
	slot->is_hot_plug = (x->slot_cap & HOT_PLUG) != 0;
	if (x->slot_cap >> 19)
		slot->physical_slot = (int)(x->slot_cap >> 19);
}

static const char *gts(unsigned mts)
{
	switch (mts) {
	case 2500:
		return "2.5";
	case 5000:
		return "5";
	case 8000:
		return "8";
	case 16000:
		return "16";
	case 32000:
		return "32";
	default:
		return "64";
	}
}

static void warn_training(const struct facts *f, struct pl_slot *slot)
{
	const struct pl_link *l = &slot->link;

	if (!slot->device || !l->width || !l->max_width || !l->max_speed_mts)
		return;
	if (l->width < l->max_width)
		pl_slot_warn(f->run, slot, "W-LINK: the link trained x%u, both ends can do x%u",
			     l->width, l->max_width);
	if (l->speed_mts < l->max_speed_mts)
		pl_slot_warn(f->run, slot,
			     "W-LINK: the link runs at %s GT/s, both ends can do %s GT/s "
			     "(some devices slow down while idle)",
			     gts(l->speed_mts), gts(l->max_speed_mts));
}

static void warn_one_end(const struct facts *f, struct pl_slot *slot)
{
	const unsigned states = PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_L1_1 | PL_ASPM_L1_2;
	const struct pl_link *l = &slot->link;
	char up[64], down[64];
	unsigned differ;

	if (!l->up.is_readable || !l->down.is_readable)
		return;
	differ = (l->up.aspm_enabled ^ l->down.aspm_enabled) & states;
	if (differ)
		pl_slot_warn(f->run, slot,
			     "W-ASPM-ONE-END: ASPM is set on one end only: port %s, device %s",
			     pl_aspm_format(l->up.aspm_enabled & states, up, sizeof(up)),
			     pl_aspm_format(l->down.aspm_enabled & states, down, sizeof(down)));
}

static void warn_errors(const struct facts *f, struct pl_slot *slot)
{
	const struct pl_link_end *ends[] = {&slot->link.up, &slot->link.down};
	char bdf[PL_BDF_TEXT];

	for (size_t i = 0; i < 2; i++)
		if (ends[i]->aer_correctable > 0 || ends[i]->aer_nonfatal > 0 ||
		    ends[i]->aer_fatal > 0)
			pl_slot_warn(f->run, slot,
				     "W-AER: %s counted errors since boot: %" PRId64
				     " correctable, %" PRId64 " non-fatal, %" PRId64 " fatal",
				     pl_bdf_format(ends[i]->bdf, bdf), ends[i]->aer_correctable,
				     ends[i]->aer_nonfatal, ends[i]->aer_fatal);
}

static void warn_path(const struct facts *f, struct pl_slot *slot)
{
	const struct pl_link *l = &slot->link;

	if (slot->attachment == PL_ATTACH_TUNNEL && slot->device)
		pl_slot_warn(
			f->run, slot,
			"W-TUNNEL: behind a Thunderbolt/USB4 tunnel: the link shown is not the "
			"cable's");
	if (l->limited_by)
		pl_slot_warn(f->run, slot, "W-BOTTLENECK: the path is narrowest at %s: %s GT/s x%u",
			     l->limited_by, gts(l->path_speed_mts), l->path_width);
	if (slot->device && slot->attachment == PL_ATTACH_SWITCH &&
	    slot->confidence < PL_CONFIDENCE_HIGH)
		pl_slot_warn(f->run, slot, "W-SWITCH: a bridge in the path is not listed: %s",
			     slot->reason);
}

static void describe(const struct facts *f, struct pl_slot *slot, const struct pl_entry *entry)
{
	struct pl_link *link = &slot->link;
	const struct pl_node *port = &f->tree->nodes[entry->port];
	int far_end = entry->far_end;

	if (pl_node_role(port) == PL_ROLE_CPU_INTERNAL || pl_node_is_to_pci(port))
		return;
	link->is_present = true;
	pl_decode_link_end(&port->function.express, port->function.bdf, &link->up);
	read_trained(&port->function.express, link);
	if (far_end != PL_NO_NODE) {
		const struct pl_function *below = function_of(f, far_end);

		pl_decode_link_end(&below->express, below->bdf, &link->down);
		read_trained(&below->express, link);
		read_endpoint(&function_of(f, entry->device)->express, link);
		ask_sysfs(f, &link->down, link);
	}
	ask_sysfs(f, &link->up, link);
	if (!slot->device)
		link->speed_mts = link->width = 0;
	combine_ends(link, far_end != PL_NO_NODE);
	link->atomic_routing = routes_atomics(f, entry->port);
	find_bottleneck(f, entry, link);
	describe_split(f, slot, entry->port);
	read_slot_register(&port->function.express, slot);
	if (f->root) {
		count_errors(f, &link->up);
		if (far_end != PL_NO_NODE)
			count_errors(f, &link->down);
	}
}

void pl_link_set_unknown(struct pl_link *link)
{
	struct pl_express nothing = {.is_known = false};

	*link = (struct pl_link){
		.aspm_supported = PL_ASPM_UNKNOWN,
		.aspm_enabled = PL_ASPM_UNKNOWN,
		.l0s_exit_ns = -1,
		.l1_exit_ns = -1,
		.l0s_acceptable_ns = -1,
		.l1_acceptable_ns = -1,
		.ltr_enabled = -1,
		.clkpm_enabled = -1,
		.atomic_routing = -1,
	};
	pl_decode_link_end(&nothing, (struct pl_bdf){0, 0, 0, 0}, &link->up);
	pl_decode_link_end(&nothing, (struct pl_bdf){0, 0, 0, 0}, &link->down);
}

void pl_link_facts(struct pl_run *run, const struct pl_tree *tree, const struct pl_entries *entries,
		   const struct pl_sysroot *root)
{
	struct facts f = {run, tree, root};

	for (size_t i = 0; i < entries->count; i++) {
		struct pl_slot *slot = &run->slots[i];
		const struct pl_entry *entry = &entries->items[i];
		bool is_beside = entry->device != PL_NO_NODE && entry->port != PL_NO_NODE &&
				 slot->built_in &&
				 pl_node_role(&tree->nodes[entry->port]) != PL_ROLE_CHIPSET_DOWN;

		pl_link_set_unknown(&slot->link);
		if (entry->port == PL_NO_NODE || is_beside)
			continue;
		describe(&f, slot, entry);
		warn_training(&f, slot);
		warn_one_end(&f, slot);
		warn_errors(&f, slot);
		warn_path(&f, slot);
	}
}
