#include "nvme_probe/proof.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/env.h"

#define READS 64
#define INTERRUPTS_FILE "/proc/interrupts"

bool pl_proof_find_controller(const char *link, char *out, size_t size)
{
	const char *at = strstr(link, "/nvme/nvme");
	size_t length;

	if (!at)
		return false;
	at += strlen("/nvme/");
	length = strcspn(at, "/");
	if (!length || length >= size)
		return false;
	memcpy(out, at, length);
	out[length] = 0;
	return true;
}

static bool find_controller(const struct pl_reader *reader, char *out, size_t size)
{
	char path[64], link[512];
	ssize_t length;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(reader->target.device),
		 minor(reader->target.device));
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return false;
	link[length] = 0;
	return pl_proof_find_controller(link, out, size);
}

static int count_interrupts(const char *controller, uint64_t *count)
{
	char prefix[40], *text = NULL;
	size_t size = 0;
	FILE *file = fopen(INTERRUPTS_FILE, "re");
	ssize_t got = file ? getdelim(&text, &size, 0, file) : -1;

	if (file)
		fclose(file);
	snprintf(prefix, sizeof(prefix), "%sq", controller);
	*count = got > 0 ? pl_env_count_interrupts(text, prefix) : 0;
	free(text);
	return got > 0 ? 0 : -EIO;
}

int pl_proof_of_polling(struct pl_reader *reader, char *sentence, size_t size, struct pl_err *err)
{
	struct pl_sampler sampler = pl_reader_sampler(reader);
	uint64_t ticks[READS], before, after;
	char controller[32];
	ssize_t got;

	if (!find_controller(reader, controller, sizeof(controller)) ||
	    count_interrupts(controller, &before)) {
		snprintf(sentence, size, "not proven: no interrupt counts for this device");
		return 0;
	}
	got = sampler.sample(sampler.self, ticks, READS, err);
	if (got < 0)
		return (int)got;
	if (count_interrupts(controller, &after))
		after = before;
	snprintf(sentence, size, "%zd reads, %llu interrupts of %s", got,
		 (unsigned long long)(after - before), controller);
	if (after - before >= READS / 2)
		return pl_fail(err, -EOPNOTSUPP,
			       "polled reads raised interrupts (%s): the queue is not polled",
			       sentence);
	return 0;
}
