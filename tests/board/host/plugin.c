/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCG plugin of the virtual board: sees every device access of the guest's
 * kernel modules and of the program under test, asks the link model what it
 * costs, and waits. Arguments: shared=FD private=FD (inherited descriptors),
 * realtime=on.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hold.h"
#include "link_model.h"
#include "qemu_plugin_api.h"

#ifndef VB_PLUGIN_API
#define VB_PLUGIN_API 1
#endif
#define VB_EXPORT __attribute__((visibility("default")))

#define ECAM_BASE 0xb0000000u /* q35's PCIEXBAR as SeaBIOS sets it */
#define ECAM_BYTES (256u << 20)
#define MODULE_AREA 0xffffffffc0000000u
#define LIBRARY_AREA 0x7f0000000000u /* where the kernel maps shared libraries */
#define USER_END 0x800000000000u
#define NVME_DOORBELLS 0x1000u
#define NVME_IO_DOORBELLS 0x1008u /* behind those of the admin queue */
#define NVME_COMPLETION_BIT 4u    /* stride 0: submission at +0, completion at +4 */

VB_EXPORT int qemu_plugin_version = VB_PLUGIN_API;
VB_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
				  char **argv);

static struct vb_shared *shared;
static struct vb_private *priv;
static struct vb_model model;
static uint64_t command_end_ns[VB_NODES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Node whose configuration space holds this offset of the ECAM window. */
static unsigned find_config(uint64_t ecam)
{
	for (unsigned i = 0; i < shared->nodes_n; i++)
		if (shared->nodes[i].present && shared->nodes[i].ecam == (ecam & ~0xfffu))
			return i;
	return VB_NODES;
}

static unsigned find_bar(uint64_t pa, unsigned *bar, uint64_t *offset)
{
	for (unsigned i = 0; i < shared->nodes_n; i++) {
		const struct vb_node *n = &shared->nodes[i];

		for (unsigned b = 0; n->present && b < VB_BARS; b++) {
			if (!n->bar_size[b] || pa < n->bar[b] || pa - n->bar[b] >= n->bar_size[b])
				continue;
			*bar = b;
			*offset = pa - n->bar[b];
			return i;
		}
	}
	return VB_NODES;
}

static void doorbell(unsigned node, uint64_t offset, uint64_t now_ns)
{
	bool io = offset >= NVME_IO_DOORBELLS;

	if (offset & NVME_COMPLETION_BIT) {
		priv->early_n += io && now_ns < command_end_ns[node];
		vb_model_complete(&model, node, now_ns);
	} else if (io) {
		uint64_t end = now_ns + vb_model_command(&model, node, now_ns);

		command_end_ns[node] = end;
		vb_hold_until(end);
	} else {
		vb_model_post(&model, node, now_ns);
	}
}

static bool is_nvme(unsigned node)
{
	return shared->nodes[node].class_rev >> 8 == 0x010802;
}

/* ns the CPU has to wait for this access. */
static uint64_t price(uint64_t pa, bool store, uint64_t now_ns)
{
	uint64_t offset = 0;
	unsigned bar = 0;
	unsigned node;

	if (pa >= ECAM_BASE && pa - ECAM_BASE < ECAM_BYTES) {
		node = find_config(pa - ECAM_BASE);
		return node < VB_NODES ? vb_model_access(&model, node, VB_CONFIG, now_ns) : 0;
	}
	node = find_bar(pa, &bar, &offset);
	if (node == VB_NODES) {
		priv->other_n++;
		return 0;
	}
	if (!store)
		return vb_model_access(&model, node, VB_BAR, now_ns);
	if (bar == 0 && offset >= NVME_DOORBELLS && is_nvme(node))
		doorbell(node, offset, now_ns);
	else
		vb_model_post(&model, node, now_ns);
	return 0;
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	static _Thread_local bool pinned;
	struct qemu_plugin_hwaddr *h = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t now_ns, wait_ns;

	(void)data;
	if (!h || !qemu_plugin_hwaddr_is_io(h) || !shared->ready)
		return;
	if (!pinned)
		vb_pin(1 + vcpu);
	pinned = true;
	now_ns = vb_now_ns();
	pthread_mutex_lock(&lock);
	priv->io_n++;
	wait_ns = price(qemu_plugin_hwaddr_phys_addr(h), qemu_plugin_mem_is_store(info), now_ns);
	pthread_mutex_unlock(&lock);
	/* From now, not from the start: the callback's own work must not hide in the wait. */
	if (wait_ns)
		vb_spin_until(vb_now_ns() + wait_ns);
}

static bool in_jit(uint64_t va)
{
	unsigned n = shared->ranges_n < VB_RANGES ? shared->ranges_n : VB_RANGES;

	for (unsigned i = 0; i < n; i++)
		if (va >= shared->ranges[i].start && va < shared->ranges[i].end)
			return true;
	return false;
}

static bool watched(uint64_t va)
{
	if (va >= MODULE_AREA)
		return true;
	if (va >= USER_END || shared->code == VB_CODE_KERNEL)
		return false;
	if (va < LIBRARY_AREA || shared->code == VB_CODE_ALL)
		return true;
	return shared->code == VB_CODE_JIT && in_jit(va);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (!watched(qemu_plugin_tb_vaddr(tb)))
		return;
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

/* Map the descriptor in "name=FD" and close it; NULL on failure. */
static void *map_fd(const char *arg, size_t bytes)
{
	int fd = atoi(strchr(arg, '=') + 1);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "shared=", 7))
			shared = map_fd(argv[i], sizeof(*shared));
		if (!strncmp(argv[i], "private=", 8))
			priv = map_fd(argv[i], sizeof(*priv));
		if (!strcmp(argv[i], "realtime=on"))
			vb_use_realtime();
	}
	if (!shared || !priv || shared->magic != VB_SHARED_MAGIC ||
	    priv->magic != VB_PRIVATE_MAGIC) {
		fprintf(stderr, "virtual board: no board memory\n");
		return 1;
	}
	model.shared = shared;
	model.priv = priv;
	vb_hold_init(&priv->hot_ns);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
