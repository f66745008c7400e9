#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "report/report.h"
#include "topology/topology.h"

/*
 * `list` on a machine with 4096 functions: a folder of plain config files, discovery, JSON text.
 * Last line: {"bench": "list", "functions": …, "slots": …, "best_ms": …, "median_ms": …}.
 */

#define FUNCTIONS 4096u
#define ROUNDS 7u

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put_function(const char *dir, unsigned bus, unsigned dev, const unsigned char *config)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%04x:%02x:%02x.0", dir, bus >> 8,
		 bus & 0xff, dev);
	if (mkdir(path, 0755))
		fail(path);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/config");
	file = fopen(path, "w");
	if (!file || fwrite(config, 256, 1, file) != 1 || fclose(file))
		fail(path);
}

/* PCI Express capability at 40h: port type, link capability, link status. */
static void write_header(unsigned char *c, unsigned vendor, unsigned device, unsigned type)
{
	static const unsigned char link_cap[] = {0x44, 0x48, 0x02, 0x00};

	memset(c, 0, 256);
	c[0] = (unsigned char)vendor;
	c[1] = (unsigned char)(vendor >> 8);
	c[2] = (unsigned char)device;
	c[3] = (unsigned char)(device >> 8);
	c[6] = 0x10;
	c[0x34] = 0x40;
	c[0x40] = 0x10;
	c[0x42] = (unsigned char)(type << 4 | 2);
	c[0x43] = 1;
	memcpy(c + 0x4c, link_cap, sizeof(link_cap));
	c[0x52] = 0x43;
}

/* Per domain: 16 root ports, each with 15 functions of a card on its bus (dev 0 … 14). */
static void make_machine(const char *dir)
{
	unsigned char config[256];
	unsigned made = 0;

	for (unsigned domain = 0; made < FUNCTIONS; domain++)
		for (unsigned port = 0; port < 16 && made < FUNCTIONS; port++) {
			write_header(config, 0x1022, 0x14db, 4);
			config[0x0b] = 6;
			config[0x0a] = 4;
			config[0x0e] = 1;
			config[0x19] = config[0x1a] = (unsigned char)(port + 1);
			put_function(dir, domain << 8, port + 1, config);
			made++;
			for (unsigned dev = 0; dev < 15 && made < FUNCTIONS; dev++, made++) {
				write_header(config, 0x15b3, 0x1017, 0);
				config[0x0b] = 2;
				put_function(dir, domain << 8 | (port + 1), dev, config);
			}
		}
}

static double list_once(const char *dir, size_t *slots)
{
	struct pl_sysroot root;
	struct pl_err err = {0, ""};
	struct pl_run run;
	FILE *out = fopen("/dev/null", "w");
	uint64_t begin = pl_raw_ns();

	pl_run_init(&run);
	if (!out || pl_sysroot_open(&root, dir, &err) ||
	    pl_topology_discover(&run, &root, NULL, &err) ||
	    pl_report_write_list_json(&run, out, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	*slots = run.slot_count;
	pl_sysroot_close(&root);
	pl_run_fini(&run);
	fclose(out);
	return (double)(pl_raw_ns() - begin) / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	char dir[] = "/tmp/pl-bench-list-XXXXXX", path[128], command[128];
	static const char *const folders[] = {"sys", "sys/bus", "sys/bus/pci",
					      "sys/bus/pci/devices"};
	double ms[ROUNDS];
	size_t slots = 0;

	if (!mkdtemp(dir))
		fail(dir);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		if (mkdir(path, 0755))
			fail(path);
	}
	make_machine(dir);
	for (unsigned i = 0; i < ROUNDS; i++)
		ms[i] = list_once(dir, &slots);
	qsort(ms, ROUNDS, sizeof(ms[0]), compare);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		fail(command);
	printf("{\"bench\": \"list\", \"functions\": %u, \"slots\": %zu, \"best_ms\": %.1f, "
	       "\"median_ms\": %.1f}\n",
	       FUNCTIONS, slots, ms[0], ms[ROUNDS / 2]);
	return 0;
}
