#include "topology/locality.h"

#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

/*
 * hwloc takes another root only from the environment. Its pciaccess backend reads the live
 * machine's configuration space behind our back, so it is switched off; the Linux backend finds
 * the devices in sysfs.
 */
static int load(hwloc_topology_t topology, const struct pl_sysroot *root)
{
	int rc;

	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "pci");
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "opencl");
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "gl");
	if (!root->live)
		setenv("HWLOC_FSROOT", root->path, 1);
	rc = hwloc_topology_load(topology);
	if (!root->live)
		unsetenv("HWLOC_FSROOT");
	return rc;
}

static const char *list_cpus(struct pl_run *run, hwloc_const_cpuset_t set)
{
	const char *kept;
	char *text = NULL;

	if (hwloc_bitmap_iszero(set) || hwloc_bitmap_list_asprintf(&text, set) < 0)
		return NULL;
	kept = pl_arena_strdup(&run->arena, text);
	free(text);
	return kept;
}

static void locate(struct pl_run *run, hwloc_topology_t topology, struct pl_device *device)
{
	hwloc_obj_t found = hwloc_get_pcidev_by_busid(topology, device->bdf.domain, device->bdf.bus,
						      device->bdf.dev, device->bdf.fn);
	hwloc_obj_t near = found ? hwloc_get_non_io_ancestor_obj(topology, found) : NULL;
	int nodes;

	if (!near)
		return;
	device->local_cpus = list_cpus(run, near->cpuset);
	nodes = near->nodeset ? hwloc_bitmap_weight(near->nodeset) : 0;
	if (nodes == 1)
		device->numa_node = hwloc_bitmap_first(near->nodeset);
}

void pl_locality(struct pl_run *run, const struct pl_sysroot *root)
{
	hwloc_topology_t topology;
	int nodes;

	/* hwloc complains on the terminal about a root without processors. */
	if (!pl_sysroot_exists(root, "sys/devices/system/cpu")) {
		pl_run_skip(run, "NUMA nodes and local CPUs", "the source has no CPU folder", NULL);
		return;
	}
	if (hwloc_topology_init(&topology)) {
		pl_run_skip(run, "NUMA nodes and local CPUs", "hwloc does not start", NULL);
		return;
	}
	if (load(topology, root)) {
		pl_run_skip(run, "NUMA nodes and local CPUs",
			    "hwloc cannot read the topology below this root", NULL);
	} else {
		nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
		run->machine.numa_nodes = nodes > 0 ? (unsigned)nodes : 0;
		for (size_t i = 0; i < run->slot_count; i++)
			if (run->slots[i].device)
				locate(run, topology, (struct pl_device *)run->slots[i].device);
	}
	hwloc_topology_destroy(topology);
}
