/*
 * decode_dump FILE: what link/ makes of the configuration spaces in a hex dump of lspci -xxx, one
 * line per PCI Express function that has a link. test_aspm_lspci.py compares it with lspci.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link/decode.h"
#include "link/io.h"
#include "link/regs.h"

struct space {
	struct pl_bdf bdf;
	uint8_t bytes[4096];
	size_t size;
};

static void make_folders(int root)
{
	static const char *const folders[] = {"sys", "sys/bus", "sys/bus/pci",
					      "sys/bus/pci/devices"};

	for (size_t i = 0; i < 4; i++)
		mkdirat(root, folders[i], 0755);
}

static void print_end(const struct pl_aspm_function *f)
{
	struct pl_exit_class l0s = pl_link_decode_l0s_exit(f->lnkcap);
	struct pl_exit_class l1 = pl_link_decode_l1_exit(f->lnkcap);

	printf(" supported=%x enabled=%x", f->supported, f->enabled);
	if (f->supported & PL_ASPM_L0S)
		printf(" l0s_exit=%lld", (long long)l0s.high_ns);
	if (f->supported & PL_ASPM_L1)
		printf(" l1_exit=%lld", (long long)l1.high_ns);
	if (pl_link_port_is_endpoint(f->port_type))
		printf(" l0s_accepts=%lld l1_accepts=%lld",
		       (long long)pl_link_decode_l0s_acceptable_ns(f->devcap),
		       (long long)pl_link_decode_l1_acceptable_ns(f->devcap));
	if (f->has_l1ss)
		printf(" restore=%d power_on=%d restore_set=%d threshold=%lld power_on_set=%d",
		       pl_link_decode_common_mode_us(f->l1ss_cap),
		       pl_link_decode_cap_power_on_us(f->l1ss_cap),
		       pl_link_decode_common_mode_us(f->l1ss_ctl1),
		       (long long)pl_link_decode_threshold_ns(f->l1ss_ctl1),
		       pl_link_decode_ctl2_power_on_us(f->l1ss_ctl2));
	if (f->has_ltr)
		printf(" ltr=%lld ltr_no_snoop=%lld",
		       (long long)pl_link_decode_ltr_ns((uint16_t)f->ltr_max),
		       (long long)pl_link_decode_ltr_ns((uint16_t)(f->ltr_max >> 16)));
}

/* Through a config file, as on a machine. */
static void decode(const struct pl_sysroot *root, const struct space *space)
{
	struct pl_aspm_function f;
	char path[PL_LINK_PATH_BYTES], name[PL_BDF_TEXT];
	int fd;

	if (!space->size)
		return;
	pl_link_device_path(path, space->bdf, "");
	mkdirat(root->fd, path, 0755);
	pl_link_device_path(path, space->bdf, "config");
	fd = openat(root->fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, space->bytes, space->size) != (ssize_t)space->size)
		exit(1);
	close(fd);
	if (pl_link_read_function(root, space->bdf, &f) || !f.is_readable ||
	    f.port_type == PL_LINK_PORT_RC_ENDPOINT)
		return;
	printf("%s", pl_bdf_format(space->bdf, name));
	print_end(&f);
	putchar('\n');
}

static void read_hex(struct space *space, const char *line)
{
	char *at;
	unsigned long offset = strtoul(line, &at, 16);

	if (*at != ':')
		return;
	for (at++; *at == ' ' && offset < sizeof(space->bytes); offset++) {
		space->bytes[offset] = (uint8_t)strtoul(at, &at, 16);
		if (offset + 1 > space->size)
			space->size = offset + 1;
	}
}

int main(int argc, char **argv)
{
	static struct space space;
	struct pl_sysroot root;
	char dir[] = "/tmp/pcielat-dump-XXXXXX", line[512], word[32];
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!in || !mkdtemp(dir) || pl_sysroot_open(&root, dir, NULL))
		return 1;
	make_folders(root.fd);
	while (fgets(line, sizeof(line), in)) {
		struct pl_bdf bdf;

		if (sscanf(line, "%31s", word) == 1 && strchr(word, '.') &&
		    !pl_bdf_parse(word, &bdf)) {
			decode(&root, &space);
			memset(&space, 0, sizeof(space));
			space.bdf = bdf;
		} else {
			read_hex(&space, line);
		}
	}
	decode(&root, &space);
	fclose(in);
	pl_sysroot_close(&root);
	printf("# %s\n", dir);
	return 0;
}
