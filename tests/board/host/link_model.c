/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link_model.h"

#include <stdbool.h>

#define VB_NEVER UINT64_MAX
#define VB_MAX_HOPS 8
#define VB_SWITCH_WAKE_NS 1000u /* a switch starts waking the next link within 1 us */
#define VB_LNKCTL_L0S 1u
#define VB_LNKCTL_L1 2u
#define VB_L1SS_L12 4u /* L1SSCTL1: ASPM L1.2 enable */
#define VB_L1SS_L11 8u /* L1SSCTL1: ASPM L1.1 enable */

/* The links between the host bridge and a function, nearest the root first. */
struct route {
	unsigned n;
	unsigned owner[VB_MAX_HOPS];
	unsigned child[VB_MAX_HOPS];
};

static bool owns_link(const struct vb_node *node)
{
	return node->type == VB_TYPE_ROOT_PORT || node->type == VB_TYPE_DOWNSTREAM;
}

static void climb(struct route *up, unsigned owner, unsigned child)
{
	if (up->n == VB_MAX_HOPS)
		return;
	up->owner[up->n] = owner;
	up->child[up->n++] = child;
}

static struct route route_to(const struct vb_model *m, unsigned node)
{
	const struct vb_shared *s = m->shared;
	struct route up = {0}, r = {0};
	unsigned child = node, parent = s->nodes[node].parent;

	for (unsigned depth = 0; parent < VB_NODES && depth < 2 * VB_MAX_HOPS; depth++) {
		if (owns_link(&s->nodes[parent]))
			climb(&up, parent, child);
		child = parent;
		parent = s->nodes[child].parent;
	}
	for (unsigned i = 0, v = m->priv->via[child]; v && i < VB_MAX_HOPS; i++) {
		climb(&up, v - 1, v - 1);
		v = m->priv->via[v - 1];
	}
	for (; r.n < up.n; r.n++) {
		r.owner[r.n] = up.owner[up.n - 1 - r.n];
		r.child[r.n] = up.child[up.n - 1 - r.n];
	}
	return r;
}

/* First present function below a port, or VB_NODES. */
static unsigned child_of(const struct vb_shared *s, unsigned port)
{
	for (unsigned i = 0; i < s->nodes_n; i++)
		if (s->nodes[i].present && s->nodes[i].parent == port)
			return i;
	return VB_NODES;
}

static bool may_enter_l1(const struct vb_model *m, unsigned owner, unsigned child)
{
	uint64_t flags = m->priv->link[owner].flags;
	const struct vb_node *n = m->shared->nodes;

	if (flags & VB_LINK_NEVER_SLEEPS)
		return false;
	return flags & VB_LINK_ALWAYS_SLEEPS || (n[owner].lnkctl & n[child].lnkctl & VB_LNKCTL_L1);
}

/* End of the last traffic on a link, that of another device included. */
static uint64_t last_traffic(const struct vb_model *m, unsigned owner, uint64_t now_ns)
{
	uint64_t period = m->priv->link[owner].wake_period_ns;
	uint64_t last = m->last_ns[owner];
	uint64_t other = period ? now_ns / period * period : 0;

	return other > last ? other : last;
}

/*
 * When the link below `owner` went, or would go, to L1 if nothing else happened.
 * A switch may ask for L1 upstream only when all its populated downstream links
 * are in L1 (PCIe Base, 5.4.1.2). `depth` bounds a table that is not a tree.
 */
static uint64_t asleep_from(const struct vb_model *m, unsigned owner, unsigned child,
			    uint64_t now_ns, unsigned depth)
{
	const struct vb_node *n = m->shared->nodes;
	uint64_t base = last_traffic(m, owner, now_ns);

	if (!may_enter_l1(m, owner, child))
		return VB_NEVER;
	if (!m->priv->usp_rule || n[child].type != VB_TYPE_UPSTREAM || !depth)
		return base + m->priv->link[owner].l1_entry_ns;
	for (unsigned i = 0; i < m->shared->nodes_n; i++) {
		unsigned below;
		uint64_t t;

		if (!n[i].present || n[i].parent != child || n[i].type != VB_TYPE_DOWNSTREAM)
			continue;
		below = child_of(m->shared, i);
		if (below == VB_NODES)
			continue;
		t = asleep_from(m, i, below, now_ns, depth - 1);
		if (t == VB_NEVER)
			return VB_NEVER;
		base = t > base ? t : base;
	}
	return base + m->priv->link[owner].l1_entry_ns;
}

/* Exit latency of a link that has been in L1 for `in_l1_ns`. */
static uint64_t l1_exit(const struct vb_model *m, unsigned owner, unsigned child, uint64_t in_l1_ns)
{
	const struct vb_link *l = &m->priv->link[owner];
	const struct vb_node *n = m->shared->nodes;
	uint32_t substates = n[owner].l1ssctl1 & n[child].l1ssctl1;

	if (substates & VB_L1SS_L12 && l->l12_exit_ns && in_l1_ns >= l->l12_entry_ns)
		return l->l12_exit_ns;
	if (substates & VB_L1SS_L11 && l->l11_exit_ns)
		return l->l11_exit_ns;
	return l->l1_exit_ns;
}

/* What waking one link costs an access that reaches it now. */
static uint64_t wake_cost(const struct vb_model *m, unsigned owner, unsigned child, uint64_t now_ns)
{
	const struct vb_link *l = &m->priv->link[owner];
	uint64_t asleep = asleep_from(m, owner, child, now_ns, VB_MAX_HOPS);
	uint64_t last = last_traffic(m, owner, now_ns);

	if (now_ns < m->awake_ns[owner])
		return m->awake_ns[owner] - now_ns;
	if (asleep != VB_NEVER && now_ns >= asleep)
		return l1_exit(m, owner, child, now_ns - asleep);
	if (m->shared->nodes[owner].lnkctl & VB_LNKCTL_L0S && l->l0s_exit_ns && now_ns >= last &&
	    now_ns - last >= l->l0s_entry_ns && !(l->flags & VB_LINK_NEVER_SLEEPS))
		return l->l0s_exit_ns;
	return 0;
}

static void count(struct vb_counter *c, uint64_t sum_ns, uint64_t exit_ns)
{
	c->n++;
	c->sum_ns += sum_ns;
	c->exits += exit_ns > 0;
	c->exit_ns += exit_ns;
}

static void keep_awake(struct vb_model *m, const struct route *r, uint64_t until_ns)
{
	for (unsigned i = 0; i < r->n; i++)
		if (m->last_ns[r->owner[i]] < until_ns)
			m->last_ns[r->owner[i]] = until_ns;
}

/*
 * Walk the path from the root, wake what sleeps, pay `crossings` round trips.
 * Overlapping exits: each link adds only what it takes beyond those before it,
 * so that the sums per link add up to what was inserted.
 */
static uint64_t walk(struct vb_model *m, unsigned node, enum vb_kind kind, uint64_t now_ns,
		     unsigned crossings)
{
	struct route r = route_to(m, node);
	uint64_t hops = 0, exits = 0;

	for (unsigned i = 0; i < r.n; i++) {
		unsigned o = r.owner[i];
		uint64_t hop = m->priv->link[o].hop_ns * crossings;
		uint64_t exit = wake_cost(m, o, r.child[i], now_ns);
		uint64_t added = exit;

		if (exit)
			m->awake_ns[o] = now_ns + exit;
		if (exit && m->priv->overlap) {
			uint64_t end = exit + (uint64_t)i * VB_SWITCH_WAKE_NS;

			added = end > exits ? end - exits : 0;
		}
		hops += hop;
		exits += added;
		count(&m->priv->link_count[o][kind], hop + added, added);
	}
	keep_awake(m, &r, now_ns + hops + exits);
	m->priv->device_count[node][kind].exits += exits > 0;
	m->priv->device_count[node][kind].exit_ns += exits;
	return hops + exits;
}

uint64_t vb_model_access(struct vb_model *m, unsigned node, enum vb_kind kind, uint64_t now_ns)
{
	uint64_t ns = walk(m, node, kind, now_ns, 1);

	if (kind == VB_CONFIG) {
		struct route r = route_to(m, node);

		ns += m->priv->device[node].config_ns;
		keep_awake(m, &r, now_ns + ns);
	}
	m->priv->device_count[node][kind].n++;
	m->priv->device_count[node][kind].sum_ns += ns;
	return ns;
}

void vb_model_post(struct vb_model *m, unsigned node, uint64_t now_ns)
{
	struct route r = route_to(m, node);

	for (unsigned i = 0; i < r.n; i++) {
		unsigned o = r.owner[i];
		uint64_t exit = wake_cost(m, o, r.child[i], now_ns);

		if (exit)
			m->awake_ns[o] = now_ns + exit;
		if (m->last_ns[o] < now_ns + exit)
			m->last_ns[o] = now_ns + exit;
	}
}

/* What the drive itself adds: media, its own power state, stalls. */
static uint64_t service_time(struct vb_model *m, unsigned node, uint64_t now_ns)
{
	struct vb_device *d = &m->priv->device[node];
	uint64_t ns = d->media_ns + d->stall_once_ns;

	d->stall_once_ns = 0;
	if (d->sleep_idle_ns && now_ns - m->used_ns[node] >= d->sleep_idle_ns)
		ns += d->sleep_exit_ns;
	if (d->stall_period_ns && now_ns / d->stall_period_ns != m->stalled[node]) {
		m->stalled[node] = now_ns / d->stall_period_ns;
		ns += d->stall_ns;
	}
	return ns;
}

/* The exit paid when data return after the links fell asleep during `media_ns`. */
static uint64_t return_exit(struct vb_model *m, unsigned node, uint64_t media_ns)
{
	struct route r = route_to(m, node);
	uint64_t max = 0;
	unsigned slowest = VB_NODES;

	for (unsigned i = 0; i < r.n; i++) {
		uint64_t entry = m->priv->link[r.owner[i]].l1_entry_ns;
		uint64_t exit;

		if (!may_enter_l1(m, r.owner[i], r.child[i]) || media_ns <= entry)
			continue;
		exit = l1_exit(m, r.owner[i], r.child[i], media_ns - entry);
		if (exit > max) {
			max = exit;
			slowest = r.owner[i];
		}
	}
	if (slowest < VB_NODES) {
		struct vb_counter *c = &m->priv->link_count[slowest][VB_NVME];

		c->exits++;
		c->exit_ns += max;
		c->sum_ns += max;
	}
	return max;
}

uint64_t vb_model_command(struct vb_model *m, unsigned node, uint64_t now_ns)
{
	struct vb_counter *c = &m->priv->device_count[node][VB_NVME];
	uint64_t ns = walk(m, node, VB_NVME, now_ns, m->priv->crossings);
	uint64_t service = service_time(m, node, now_ns);

	if (m->priv->a0) {
		uint64_t back = return_exit(m, node, service);

		c->exits += back > 0;
		c->exit_ns += back;
		ns += back + service;
	} else {
		struct route r = route_to(m, node);

		ns += service;
		keep_awake(m, &r, now_ns + ns);
	}
	c->n++;
	c->sum_ns += ns;
	return ns;
}

void vb_model_complete(struct vb_model *m, unsigned node, uint64_t now_ns)
{
	m->used_ns[node] = now_ns;
	vb_model_post(m, node, now_ns);
}
