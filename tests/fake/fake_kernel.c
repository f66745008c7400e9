#include "tests/fake/fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fake/fake_rules.h"

#define LATENCY_BYTES 16
#define POLICY_BYTES 64

static void die(const char *what)
{
	perror(what);
	abort();
}

uint16_t fake_get16(const uint8_t *bytes, unsigned offset)
{
	return (uint16_t)(bytes[offset] | bytes[offset + 1] << 8);
}

uint32_t fake_get32(const uint8_t *bytes, unsigned offset)
{
	return fake_get16(bytes, offset) | (uint32_t)fake_get16(bytes, offset + 2) << 16;
}

void fake_put16(uint8_t *bytes, unsigned offset, uint16_t value)
{
	bytes[offset] = (uint8_t)value;
	bytes[offset + 1] = (uint8_t)(value >> 8);
}

void fake_put32(uint8_t *bytes, unsigned offset, uint32_t value)
{
	fake_put16(bytes, offset, (uint16_t)value);
	fake_put16(bytes, offset + 2, (uint16_t)(value >> 16));
}

static void make_dirs(const struct fake_kernel *fake, const char *path)
{
	char part[256];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(fake->root.fd, part, 0755) && errno != EEXIST)
			die(part);
	}
}

/* A file of this size and content, mapped shared. */
static void *map_file(struct fake_kernel *fake, const char *path, const char *text, size_t size)
{
	void *bytes;
	int fd;

	make_dirs(fake, path);
	fd = openat(fake->root.fd, path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		die(path);
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED || fake->mapping_count == FAKE_MAPPINGS_MAX)
		die(path);
	close(fd);
	fake->mapping[fake->mapping_count].bytes = bytes;
	fake->mapping[fake->mapping_count++].size = size;
	if (size < FAKE_CONFIG_BYTES) /* text: padded so that lines end whatever is written */
		memset(bytes, '\n', size);
	memcpy(bytes, text, strlen(text));
	return bytes;
}

static char *device_path(char out[PL_LINK_PATH_BYTES], const struct fake_function *f,
			 const char *name)
{
	return pl_link_device_path(out, f->bdf, name);
}

static size_t add_function(struct fake_kernel *fake, const char *bdf, unsigned port_type,
			   uint16_t device_id, unsigned secondary)
{
	struct fake_function *f = &fake->function[fake->function_count];
	char path[PL_LINK_PATH_BYTES];
	bool is_bridge = port_type == 4 || port_type == 5 || port_type == 6;

	pl_bdf_parse(bdf, &f->bdf);
	f->port_type = port_type;
	f->config = map_file(fake, device_path(path, f, "config"), "", FAKE_CONFIG_BYTES);
	f->power = map_file(fake, device_path(path, f, "power/control"), "auto\n", 8);
	fake_put16(f->config, 0, 0x1022);
	fake_put16(f->config, 2, device_id);
	f->config[0x0e] = is_bridge ? 1 : 0;
	f->config[0x19] = (uint8_t)secondary;
	return fake->function_count++;
}

static size_t add_link(struct fake_kernel *fake, size_t up, size_t down)
{
	struct fake_link *link = &fake->link[fake->link_count];

	link->up = up;
	link->down[link->down_count++] = down;
	return fake->link_count++;
}

static void add_devices(struct fake_kernel *fake)
{
	size_t rp1 = add_function(fake, "0000:00:01.1", 4, 0x14db, 1);
	size_t gpu = add_function(fake, "0000:01:00.0", 0, 0x7480, 0);
	size_t audio = add_function(fake, "0000:01:00.1", 0, 0xab30, 0);
	size_t rp2 = add_function(fake, "0000:00:02.1", 4, 0x14db, 2);
	size_t up1 = add_function(fake, "0000:02:00.0", 5, 0x43f4, 3);
	size_t down1 = add_function(fake, "0000:03:00.0", 6, 0x43f5, 4);
	size_t down2 = add_function(fake, "0000:03:08.0", 6, 0x43f5, 5);
	size_t drive1 = add_function(fake, "0000:04:00.0", 0, 0xa80a, 0);
	size_t up2 = add_function(fake, "0000:05:00.0", 5, 0x43f4, 6);
	size_t down3 = add_function(fake, "0000:06:00.0", 6, 0x43f5, 7);
	size_t drive2 = add_function(fake, "0000:07:00.0", 0, 0xa80c, 0);
	size_t direct = add_link(fake, rp1, gpu);

	fake->link[direct].down[fake->link[direct].down_count++] = audio;
	add_link(fake, rp2, up1);
	add_link(fake, down1, drive1);
	add_link(fake, down2, up2);
	add_link(fake, down3, drive2);
}

static void add_slot(struct fake_kernel *fake, const char *key, const size_t *path, size_t count,
		     enum pl_device_kind kind)
{
	struct pl_run *run = fake->run;
	struct pl_slot *slot = pl_run_add_slot(run);
	struct pl_bdf *bdfs = pl_arena_array(&run->arena, count, sizeof(*bdfs));
	struct pl_device *device = pl_arena_alloc(&run->arena, sizeof(*device));

	for (size_t i = 0; i < count; i++)
		bdfs[i] = fake->function[path[i]].bdf;
	device->bdf = bdfs[count - 1];
	device->kind = kind;
	slot->key = slot->label = key;
	slot->path = bdfs;
	slot->path_count = count;
	slot->device = device;
}

static void add_slots(struct fake_kernel *fake)
{
	const size_t direct[] = {0, 1}, one[] = {3, 4, 5, 7}, two[] = {3, 4, 6, 8, 9, 10};

	add_slot(fake, "direct", direct, 2, PL_DEVICE_GPU);
	add_slot(fake, "one switch", one, 4, PL_DEVICE_NVME);
	add_slot(fake, "two switches", two, 6, PL_DEVICE_NVME);
}

static uint32_t pick(struct pl_rng *rng)
{
	return (uint32_t)pl_rng_u64(rng);
}

/* Random bytes everywhere, then the structure: what the tool must carry through is there. */
static void fill_config(struct fake_function *f, struct pl_rng *rng, enum fake_start start)
{
	uint8_t keep[3] = {f->config[0x0e], f->config[0x19], 0}, *c = f->config;
	uint32_t id = fake_get32(c, 0);
	bool full = start == FAKE_FULL || start == FAKE_OFF;

	for (unsigned i = 0; i < FAKE_CONFIG_BYTES; i++)
		c[i] = (uint8_t)pick(rng);
	fake_put32(c, 0, id);
	fake_put16(c, 0x06, 0x0010);
	c[0x0e] = keep[0];
	c[0x19] = keep[1];
	c[0x34] = FAKE_EXP;
	c[FAKE_EXP] = 0x10;
	c[FAKE_EXP + 1] = 0;
	fake_put16(c, FAKE_EXP + 2, (uint16_t)(f->port_type << 4 | 2));
	if (full)
		fake_put32(c, FAKE_LNKCAP, fake_get32(c, FAKE_LNKCAP) | 3u << 10 | 1u << 18);
	fake_put16(c, FAKE_DEVCTL2, (uint16_t)(fake_get16(c, FAKE_DEVCTL2) | 1u << 10));
	/* AER, version 1; next is L1SS at 140h, or LTR right away */
	fake_put32(c, 0x100, full || pick(rng) % 4 ? 0x14010001 : 0x16010001);
	fake_put32(c, FAKE_L1SS, 0x1601001e);
	fake_put32(c, 0x160, 0x00010018); /* LTR, the last */
	if (full)
		fake_put32(c, FAKE_L1SS + 4, fake_get32(c, FAKE_L1SS + 4) | 0x1f);
	fake_put16(c, FAKE_LNKSTA, 0x1044);
}

static void set_enables(struct fake_function *f, unsigned lnkctl, unsigned l1ss)
{
	uint8_t *c = f->config;

	fake_put16(c, FAKE_LNKCTL, (uint16_t)((fake_get16(c, FAKE_LNKCTL) & ~3u) | lnkctl));
	fake_put32(c, FAKE_L1SS_CTL1, (fake_get32(c, FAKE_L1SS_CTL1) & ~0xfu) | l1ss);
}

/* Legal: what both ends support and all functions share; substates only with L1. */
static void fill_legal(struct fake_kernel *fake, struct fake_link *link, struct pl_rng *rng,
		       enum fake_start start)
{
	const uint8_t *up = fake->function[link->up].config;
	const uint8_t *down = fake->function[link->down[0]].config;
	unsigned aspm = (fake_get32(up, FAKE_LNKCAP) & fake_get32(down, FAKE_LNKCAP)) >> 10 & 3;
	unsigned l1ss = fake_get32(up, FAKE_L1SS + 4) & fake_get32(down, FAKE_L1SS + 4) & 0x1f;

	l1ss = l1ss & 0x10 && fake_has_l1ss(up) && fake_has_l1ss(down) ? l1ss & 0xf : 0;
	if (start == FAKE_OFF)
		aspm = 0;
	if (start == FAKE_LEGAL) {
		aspm &= pick(rng);
		l1ss &= pick(rng);
	}
	if (!(aspm & 2))
		l1ss = 0;
	set_enables(&fake->function[link->up], aspm, l1ss);
	for (size_t i = 0; i < link->down_count; i++)
		set_enables(&fake->function[link->down[i]], aspm, l1ss);
}

static void add_attrs(struct fake_kernel *fake, size_t index)
{
	struct fake_link *link = &fake->link[index];

	for (int a = 0; a < PL_ATTR_COUNT; a++) {
		char path[PL_LINK_PATH_BYTES], name[32];

		fake->state->link[index].start[a] = -1;
		if (!fake_attr_exists(fake, index, a))
			continue;
		for (size_t i = link->down_count; i-- > 0;) {
			/* Each function has the files; the first one's are the ones we act on. */
			snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(a));
			link->attr[a] = map_file(
				fake, device_path(path, &fake->function[link->down[i]], name),
				"0\n", 2);
		}
	}
	fake_show_attrs(fake, index);
	for (int a = 0; a < PL_ATTR_COUNT; a++)
		if (link->attr[a])
			fake->state->link[index].start[a] = link->attr[a][0] - '0';
}

static int write_text(void *ctx, const struct pl_sysroot *root, const char *path, const char *text)
{
	return fake_write(ctx, root, path, text);
}

static void do_not_wait(void *ctx)
{
	(void)ctx;
}

static void add_files(struct fake_kernel *fake)
{
	fake->policy_text =
		map_file(fake, "sys/module/pcie_aspm/parameters/policy", "", POLICY_BYTES);
	fake_show_policy(fake);
	fake->latency = map_file(fake,
				 "sys/bus/pci/devices/0000:07:00.0/nvme/nvme1/power/"
				 "pm_qos_latency_tolerance_us",
				 "100000\n", LATENCY_BYTES);
	fake->boot_id = map_file(fake, "proc/sys/kernel/random/boot_id", "boot-one\n", 16);
	fake->aer = map_file(fake, "sys/bus/pci/devices/0000:07:00.0/aer_dev_correctable",
			     "RxErr 0\nTOTAL_ERR_COR 00000\n", 64);
	map_file(fake, "proc/cmdline", "ro quiet\n", 9);
}

void fake_open(struct fake_kernel *fake, struct pl_run *run, struct pl_rng *rng,
	       enum fake_start start)
{
	memset(fake, 0, sizeof(*fake));
	/* The journal is synced often; memory is the right disk for that. */
	snprintf(fake->dir, sizeof(fake->dir), "%s/pcielat-fake-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(fake->dir) || pl_sysroot_open(&fake->root, fake->dir, NULL))
		die(fake->dir);
	fake->run = run;
	fake->state = mmap(NULL, sizeof(*fake->state), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fake->state == MAP_FAILED)
		die("state");
	fake->io = (struct pl_link_io){write_text, do_not_wait, fake};
	add_devices(fake);
	for (size_t i = 0; i < fake->function_count; i++)
		fill_config(&fake->function[i], rng, start);
	for (size_t i = 0; i < fake->link_count; i++) {
		if (start != FAKE_ILLEGAL)
			fill_legal(fake, &fake->link[i], rng, start);
		fake_boot_link(fake, i, rng, start == FAKE_LEGAL);
		add_attrs(fake, i);
	}
	add_files(fake);
	add_slots(fake);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *dir)
{
	if (nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		die(dir);
}

void fake_close(struct fake_kernel *fake)
{
	/* Mappings left behind would make every later fork slower. */
	for (size_t i = 0; i < fake->mapping_count; i++)
		munmap(fake->mapping[i].bytes, fake->mapping[i].size);
	pl_sysroot_close(&fake->root);
	munmap(fake->state, sizeof(*fake->state));
	remove_tree(fake->dir);
}

static bool is_gone(const struct fake_kernel *fake, size_t function)
{
	return fake->state->gone & FAKE_BIT(function);
}

/* With the first function of a device goes its link. */
static bool is_link_gone(const struct fake_kernel *fake, size_t index)
{
	const struct fake_link *link = &fake->link[index];

	return is_gone(fake, link->up) || is_gone(fake, link->down[0]);
}

static bool is_above_gone(const struct fake_kernel *fake, size_t function)
{
	for (size_t i = 0; i < fake->link_count; i++)
		if (fake->link[i].up == function && is_link_gone(fake, i))
			return true;
	return false;
}

/* Copies everything that matters to at (NULL: only counts); is_there gets 1 for each byte that is
 * still to be compared (NULL: nothing). Returns the size. */
static size_t collect(const struct fake_kernel *fake, uint8_t *at, uint8_t *is_there)
{
	size_t size = 0;

#define ADD(bytes, count, there)                                                                   \
	do {                                                                                       \
		if (at)                                                                            \
			memcpy(at + size, bytes, count);                                           \
		if (is_there)                                                                      \
			memset(is_there + size, there, count);                                     \
		size += (count);                                                                   \
	} while (0)
	for (size_t i = 0; i < fake->function_count; i++)
		ADD(fake->function[i].config, FAKE_CONFIG_BYTES,
		    !is_gone(fake, i) && !is_above_gone(fake, i));
	for (size_t i = 0; i < fake->function_count; i++)
		ADD(fake->function[i].power, 8, !is_gone(fake, i));
	for (size_t i = 0; i < fake->link_count; i++)
		for (int a = 0; a < PL_ATTR_COUNT; a++)
			if (fake->link[i].attr[a])
				ADD(fake->link[i].attr[a], 1, !is_link_gone(fake, i));
	ADD(fake->policy_text, POLICY_BYTES, true);
	ADD(fake->latency, LATENCY_BYTES, !is_gone(fake, FAKE_DRIVE2));
#undef ADD
	return size;
}

static uint8_t *allocate(size_t bytes)
{
	uint8_t *copy = malloc(bytes);

	if (!copy)
		abort();
	return copy;
}

uint8_t *fake_snapshot(const struct fake_kernel *fake, size_t *size)
{
	size_t bytes = collect(fake, NULL, NULL);
	uint8_t *copy = allocate(bytes);

	collect(fake, copy, NULL);
	if (size)
		*size = bytes;
	return copy;
}

int fake_compare(const struct fake_kernel *fake, const uint8_t *snapshot)
{
	size_t size;
	uint8_t *now = fake_snapshot(fake, &size), *is_there = allocate(size);
	int differences = 0;

	collect(fake, NULL, is_there);
	for (size_t i = 0; i < size; i++) {
		if (now[i] == snapshot[i] || !is_there[i])
			continue;
		if (!differences++)
			printf("function %zu, offset 0x%zx: %02x, was %02x\n",
			       i / FAKE_CONFIG_BYTES, i % FAKE_CONFIG_BYTES, now[i], snapshot[i]);
	}
	free(is_there);
	free(now);
	return differences;
}

/* Out of the tree at once, as a removal is for who opens a file after it. */
static void unplug(struct fake_kernel *fake, const struct pl_sysroot *root, size_t function)
{
	char path[PL_LINK_PATH_BYTES], bdf[PL_BDF_TEXT];

	device_path(path, &fake->function[function], "");
	path[strlen(path) - 1] = '\0';
	if (renameat(root->fd, path, root->fd, pl_bdf_format(fake->function[function].bdf, bdf)))
		die(path);
}

void fake_remove(struct fake_kernel *fake, const struct pl_sysroot *root, unsigned functions,
		 enum fake_removal how)
{
	for (size_t i = 0; i < fake->function_count; i++) {
		if (!(functions & FAKE_BIT(i)) || is_gone(fake, i))
			continue;
		memset(fake->function[i].config, 0xff, FAKE_CONFIG_BYTES);
		fake->state->gone |= FAKE_BIT(i);
	}
	for (size_t i = 0; how == FAKE_UNPLUGGED && i < fake->function_count; i++) {
		uint8_t *c = fake->function[i].config;

		if (functions & FAKE_BIT(i))
			unplug(fake, root, i);
		else if (is_above_gone(fake, i))
			fake_put16(c, FAKE_LNKCTL, (uint16_t)(fake_get16(c, FAKE_LNKCTL) & ~3u));
	}
}

void fake_return(struct fake_kernel *fake, size_t function, const uint8_t *snapshot)
{
	uint8_t *c = fake->function[function].config;

	memcpy(c, snapshot + function * FAKE_CONFIG_BYTES, FAKE_CONFIG_BYTES);
	fake_put16(c, FAKE_LNKCTL, (uint16_t)(fake_get16(c, FAKE_LNKCTL) & ~3u));
	fake->state->gone &= ~FAKE_BIT(function);
}

bool fake_has_journal(const struct fake_kernel *fake)
{
	return pl_sysroot_exists(&fake->root, "run/pcielat/journal");
}
