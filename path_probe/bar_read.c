#include "path_probe/bar_read.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLASS_NVME 0x010802u
#define COMMAND 0x04
#define COMMAND_MEMORY 0x02u
#define PAGE_BYTES 4096

/* NVMe controller properties, as indices of 32-bit words. */
enum { REG_CAP_LOW = 0x00 / 4, REG_VS = 0x08 / 4, REG_CSTS = 0x1c / 4 };

struct bar_reader {
	const volatile uint32_t *registers;
	const struct pl_clock *clock;
	int failed;
	struct pl_err why;
	char dir[160];
};

/*
 * When the function is removed the kernel takes the mapping away and the load raises SIGBUS. The
 * handler is installed around a call of the sampler, outside the stamps.
 */
static _Thread_local sigjmp_buf bus_error;

static void on_bus_error(int number)
{
	siglongjmp(bus_error, number);
}

static void catch_bus_error(struct sigaction *before)
{
	struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};

	sigaction(SIGBUS, &action, before);
}

/* Returns how many reads gave a value; fewer than count: the one after them gave all ones. */
static size_t read_many(const struct bar_reader *reader, uint64_t *ticks, size_t count)
{
	const struct pl_clock *clock = reader->clock;
	const volatile uint32_t *vs = reader->registers + REG_VS;

	for (size_t i = 0; i < count; i++) {
		uint64_t begin = pl_clock_begin(clock);
		uint32_t value = *vs;

		ticks[i] = pl_clock_end(clock) - begin;
		if (value == UINT32_MAX)
			return i;
	}
	return count;
}

static ssize_t bar_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct bar_reader *reader = self;
	struct sigaction before;
	volatile size_t got = 0;

	if (reader->failed)
		return pl_fail(err, reader->failed, "%s", reader->why.text);
	catch_bus_error(&before);
	if (!sigsetjmp(bus_error, 0)) {
		got = read_many(reader, ticks, count);
		if (got < count)
			reader->failed =
				pl_fail(&reader->why, -ENODEV,
					"%s: register VS reads 0xFFFFFFFF: the controller is "
					"gone, powered off or in D3cold",
					reader->dir);
	} else {
		reader->failed = pl_fail(&reader->why, -ENODEV,
					 "%s: the controller was removed while it was measured",
					 reader->dir);
	}
	sigaction(SIGBUS, &before, NULL);
	return got ? (ssize_t)got : pl_fail(err, reader->failed, "%s", reader->why.text);
}

static void bar_close(void *self)
{
	struct bar_reader *reader = self;

	munmap((void *)(uintptr_t)reader->registers, PAGE_BYTES);
	free(reader);
}

int pl_bar_explain_map(const char *device_dir, int error, struct pl_err *err)
{
	static const struct {
		int error;
		const char *reason;
	} reasons[] = {
		{EACCES, "only root may read registers; run with sudo"},
		{EPERM, "kernel lockdown (Secure Boot) forbids mapping device registers; switch "
			"Secure Boot off in the firmware, or do without: configuration reads "
			"measure the same path"},
		{EINVAL, "the kernel protects registers that a driver uses "
			 "(CONFIG_IO_STRICT_DEVMEM); boot with iomem=relaxed"},
		{ENOENT, "the function has no BAR0"},
		{ENODEV, "the function is gone"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].error == error)
			return pl_fail(err, -error, "%s/resource0: %s", device_dir,
				       reasons[i].reason);
	return pl_fail(err, -error, "%s/resource0: %s", device_dir, strerror(error));
}

static bool read_text(const char *dir, const char *name, char *out, size_t size)
{
	char path[256];
	FILE *file;
	bool is_read;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	is_read = file && fgets(out, (int)size, file);
	if (file)
		fclose(file);
	if (!is_read)
		out[0] = 0;
	out[strcspn(out, "\n")] = 0;
	return is_read;
}

static int check_is_awake(const char *dir, struct pl_err *err)
{
	char path[256], power[32];
	uint16_t command = 0;
	ssize_t got;
	int fd;

	if (read_text(dir, "power_state", power, sizeof(power)) && strcmp(power, "D0"))
		return pl_fail(err, -EBUSY,
			       "%s is in power state %s, registers answer in D0 only; write \"on\" "
			       "to its power/control first",
			       dir, power);
	snprintf(path, sizeof(path), "%s/config", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pl_fail(err, -errno, "%s: %s", path, strerror(errno));
	got = pread(fd, &command, sizeof(command), COMMAND);
	close(fd);
	if (got != sizeof(command) || command == UINT16_MAX)
		return pl_fail(err, -ENODEV, "%s does not answer: gone or powered off", dir);
	if (!(command & COMMAND_MEMORY))
		return pl_fail(err, -ENXIO,
			       "%s does not decode memory (no driver has enabled it); bind the "
			       "nvme driver",
			       dir);
	return 0;
}

static int check_device(const char *dir, struct pl_err *err)
{
	char text[32];

	if (!read_text(dir, "class", text, sizeof(text)))
		return pl_fail(err, -ENODEV, "%s: there is no such function", dir);
	if (strtoul(text, NULL, 16) != CLASS_NVME)
		return pl_fail(
			err, -ENOTSUP,
			"%s has class %s: registers are read on NVMe controllers only, where "
			"CAP, VS and CSTS are known to have no side effects",
			dir, text);
	return check_is_awake(dir, err);
}

static int map_registers(struct bar_reader *reader, struct pl_err *err)
{
	char path[256];
	struct stat st;
	void *memory;
	int fd, error;

	snprintf(path, sizeof(path), "%s/resource0", reader->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pl_bar_explain_map(reader->dir, errno, err);
	if (fstat(fd, &st) || st.st_size < PAGE_BYTES) {
		close(fd);
		return pl_bar_explain_map(reader->dir, ENOENT, err);
	}
	memory = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	error = errno;
	close(fd);
	if (memory == MAP_FAILED)
		return pl_bar_explain_map(reader->dir, error, err);
	reader->registers = memory;
	return 0;
}

/* Says no to a controller whose registers are all ones, before anything is timed. */
static int check_registers(struct bar_reader *reader, struct pl_err *err)
{
	uint64_t ticks;
	ssize_t got = bar_sample(reader, &ticks, 1, err);

	if (got < 0)
		return (int)got;
	if (reader->registers[REG_CAP_LOW] == UINT32_MAX ||
	    reader->registers[REG_CSTS] == UINT32_MAX)
		return pl_fail(err, -ENODEV,
			       "%s: registers read 0xFFFFFFFF: the controller is gone",
			       reader->dir);
	return 0;
}

int pl_bar_read_open(const char *device_dir, const struct pl_clock *clock,
		     struct pl_sampler *sampler, struct pl_err *err)
{
	struct bar_reader *reader;
	int rc = check_device(device_dir, err);

	if (rc)
		return rc;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return pl_fail(err, -ENOMEM, "out of memory");
	reader->clock = clock;
	snprintf(reader->dir, sizeof(reader->dir), "%s", device_dir);
	rc = map_registers(reader, err);
	if (rc) {
		free(reader);
		return rc;
	}
	rc = check_registers(reader, err);
	if (rc) {
		bar_close(reader);
		return rc;
	}
	*sampler = (struct pl_sampler){bar_sample, bar_close, reader, NULL};
	return 0;
}
