#include "topology/topology.h"

#include <errno.h>
#include <string.h>

#include "topology/classify.h"
#include "topology/device_facts.h"
#include "topology/dump.h"
#include "topology/functions.h"
#include "topology/labels.h"
#include "topology/link_facts.h"
#include "topology/locality.h"
#include "topology/machine.h"
#include "topology/names.h"

static void note_reach(struct pl_run *run, const struct pl_function *functions, size_t count)
{
	bool is_deep = false;

	for (size_t i = 0; i < count; i++)
		is_deep |= functions[i].express.is_known;
	run->machine.is_root = is_deep;
	if (count && !is_deep)
		pl_run_skip(
			run, "capabilities of PCI functions",
			run->machine.is_live
				? "an ordinary user reads the first 64 bytes of configuration "
				  "space: ASPM, latencies and port types are not visible"
				: "the source has only the first 64 bytes of configuration space: "
				  "ASPM, latencies and port types are not in it",
			run->machine.is_live ? "run as root" : "capture again as root");
	if (!count)
		pl_run_skip(run, "PCI functions", "this machine shows no PCI functions", NULL);
}

/* From functions to slots: the same for the live machine, a capture and a dump. */
static int make_slots(struct pl_run *run, const struct pl_function *functions, size_t count,
		      struct pl_pci *pci, const struct pl_sysroot *root,
		      const struct pl_topology_options *options, struct pl_err *err)
{
	struct pl_platform platform;
	struct pl_entries entries;
	struct pl_tree tree;

	note_reach(run, functions, count);
	pl_tree_build(&tree, &run->arena, functions, count);
	pl_platform_find(&platform, &tree, run->machine.board_name, run->machine.hypervisor);
	pl_classify(&tree, &platform);
	pl_entries_build(run, &tree, &entries);
	pl_device_facts(run, &tree, &entries, root, pci);
	pl_names_neutral(run, &tree, &entries);
	pl_link_facts(run, &tree, &entries, root);
	return pl_labels_apply(run, &tree, &entries, root, options, err);
}

static int discover_machine(struct pl_run *run, const struct pl_sysroot *root,
			    const struct pl_topology_options *options, struct pl_err *err)
{
	struct pl_function *functions = NULL;
	struct pl_pci *pci = NULL;
	size_t count;
	int rc;

	if (!pl_sysroot_exists(root, "sys"))
		return pl_fail(err, -ENOENT, "%s has no folder \"sys\": not a captured machine",
			       root->path);
	pl_machine_facts(run, root);
	rc = pl_pci_open(&pci, root, err);
	if (rc)
		return rc;
	count = pl_functions_read(&run->arena, pci, root, &functions);
	rc = make_slots(run, functions, count, pci, root, options, err);
	pl_pci_close(pci);
	if (!rc)
		pl_locality(run, root);
	return rc;
}

static int discover_dump(struct pl_run *run, const struct pl_topology_options *options,
			 struct pl_err *err)
{
	struct pl_function *functions = NULL;
	struct pl_pci *pci = NULL;
	size_t count;
	int rc = pl_dump_read(run, options->dump_file, &pci, &functions, &count, err);

	if (rc)
		return rc;
	run->machine.source = pl_arena_printf(&run->arena, "dump %s", options->dump_file);
	rc = make_slots(run, functions, count, pci, NULL, options, err);
	pl_pci_close(pci);
	return rc;
}

int pl_topology_discover(struct pl_run *run, const struct pl_sysroot *root,
			 const struct pl_topology_options *options, struct pl_err *err)
{
	if (options && options->dump_file)
		return discover_dump(run, options, err);
	return discover_machine(run, root, options, err);
}
