#include "pci/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * libpci's hooks carry no user pointer, so the struct whose call is running is kept here. This is
 * the only longjmp of the project: libpci's error hook must not return.
 */
static _Thread_local struct pl_pci *running;

__attribute__((noreturn, format(printf, 1, 2))) static void on_error(char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(running->message, sizeof(running->message), format, arguments);
	va_end(arguments);
	longjmp(running->escape, 1);
}

static void on_warning(char *format, ...)
{
	(void)format; /* every failed read is seen in its return value */
}

static int create(struct pl_pci **pci, struct pl_err *err)
{
	struct pl_pci *made = calloc(1, sizeof(*made));

	*pci = NULL;
	if (!made)
		return pl_fail(err, -ENOMEM, "out of memory");
	made->access = pci_alloc();
	made->access->error = on_error;
	made->access->warning = on_warning;
	*pci = made;
	return 0;
}

static struct pl_bdf address_of(const struct pci_dev *device)
{
	return (struct pl_bdf){(uint32_t)device->domain, device->bus, device->dev, device->func};
}

static int compare_devices(const void *a, const void *b)
{
	return pl_bdf_compare(address_of(*(struct pci_dev *const *)a),
			      address_of(*(struct pci_dev *const *)b));
}

/* Orders libpci's list, which is a plain chain, so that a function is found in log n steps. */
static int index_devices(struct pl_pci *pci, struct pl_err *err)
{
	size_t count = 0;

	for (struct pci_dev *d = pci->access->devices; d; d = d->next)
		count++;
	pci->devices = calloc(count + 1, sizeof(*pci->devices));
	pci->bdfs = calloc(count + 1, sizeof(*pci->bdfs));
	if (!pci->devices || !pci->bdfs)
		return pl_fail(err, -ENOMEM, "out of memory");
	for (struct pci_dev *d = pci->access->devices; d; d = d->next)
		pci->devices[pci->count++] = d;
	qsort(pci->devices, count, sizeof(*pci->devices), compare_devices);
	for (size_t i = 0; i < count; i++)
		pci->bdfs[i] = address_of(pci->devices[i]);
	return 0;
}

static int start(struct pl_pci *pci, struct pl_err *err)
{
	running = pci;
	if (setjmp(pci->escape))
		return pl_fail(err, -EIO, "reading PCI configuration space: %s", pci->message);
	pci_init(pci->access);
	pci_scan_bus(pci->access);
	return index_devices(pci, err);
}

static int finish_open(struct pl_pci **pci, int rc)
{
	if (rc) {
		pl_pci_close(*pci);
		*pci = NULL;
	}
	return rc;
}

int pl_pci_open(struct pl_pci **pci, const struct pl_sysroot *root, struct pl_err *err)
{
	char parameter[] = "sysfs.path", path[PATH_MAX];
	int rc;

	if (!pl_sysroot_exists(root, "sys/bus/pci/devices"))
		return pl_pci_open_names(pci, err);
	rc = create(pci, err);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/sys/bus/pci", root->live ? "" : root->path);
	(*pci)->access->method = PCI_ACCESS_SYS_BUS_PCI;
	pci_set_param((*pci)->access, parameter, path);
	return finish_open(pci, start(*pci, err));
}

int pl_pci_open_dump(struct pl_pci **pci, const char *file, struct pl_err *err)
{
	char parameter[] = "dump.name", name[PATH_MAX];
	int rc = create(pci, err);

	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%s", file);
	(*pci)->access->method = PCI_ACCESS_DUMP;
	pci_set_param((*pci)->access, parameter, name);
	return finish_open(pci, start(*pci, err));
}

/* libpci wants some way of access before it names anything: a dump of nothing is one. */
int pl_pci_open_names(struct pl_pci **pci, struct pl_err *err)
{
	return pl_pci_open_dump(pci, "/dev/null", err);
}

void pl_pci_close(struct pl_pci *pci)
{
	if (!pci)
		return;
	running = pci;
	if (!setjmp(pci->escape))
		pci_cleanup(pci->access);
	pl_pci_names_free(pci->vendor_names);
	pl_pci_names_free(pci->class_names);
	pl_pci_names_free(pci->device_names);
	free(pci->devices);
	free(pci->bdfs);
	free(pci);
}

size_t pl_pci_functions(const struct pl_pci *pci, const struct pl_bdf **functions)
{
	*functions = pci->bdfs;
	return pci->count;
}

static int compare_bdfs(const void *a, const void *b)
{
	return pl_bdf_compare(*(const struct pl_bdf *)a, *(const struct pl_bdf *)b);
}

static struct pci_dev *find(const struct pl_pci *pci, struct pl_bdf bdf)
{
	const struct pl_bdf *hit = NULL;

	if (pci->count)
		hit = bsearch(&bdf, pci->bdfs, pci->count, sizeof(bdf), compare_bdfs);
	return hit ? pci->devices[hit - pci->bdfs] : NULL;
}

bool pl_pci_has(const struct pl_pci *pci, struct pl_bdf bdf)
{
	return find(pci, bdf) != NULL;
}

int pl_pci_read(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, void *data,
		size_t size_bytes)
{
	struct pci_dev *device = find(pci, bdf);

	if (!device)
		return -ENODEV;
	running = pci;
	if (setjmp(pci->escape))
		return -EIO;
	return pci_read_block(device, (int)offset, data, (int)size_bytes) ? 0 : -ENODATA;
}

int pl_pci_read8(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, uint8_t *value)
{
	return pl_pci_read(pci, bdf, offset, value, 1);
}

/* Registers are little-endian whatever the machine is. */
int pl_pci_read16(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, uint16_t *value)
{
	uint8_t b[2];
	int rc = pl_pci_read(pci, bdf, offset, b, sizeof(b));

	if (!rc)
		*value = (uint16_t)(b[0] | b[1] << 8);
	return rc;
}

int pl_pci_read32(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, uint32_t *value)
{
	uint8_t b[4];
	int rc = pl_pci_read(pci, bdf, offset, b, sizeof(b));

	if (!rc)
		*value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return rc;
}
