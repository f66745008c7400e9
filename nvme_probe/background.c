#include "nvme_probe/background.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Fields of the stat file, from 0: reads, writes, discards and flushes that finished. */
static const unsigned counted[] = {0, 4, 11, 15};

uint64_t pl_background_parse(const char *text)
{
	uint64_t sum = 0;

	for (unsigned field = 0;; field++) {
		char *end;
		uint64_t value = strtoull(text, &end, 10);

		if (end == text)
			return sum;
		for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
			if (counted[i] == field)
				sum += value;
		text = end;
	}
}

static uint64_t read_count(const struct pl_background *background)
{
	char text[512];
	ssize_t got = background->fd > 0 ? pread(background->fd, text, sizeof(text) - 1, 0) : 0;

	text[got > 0 ? got : 0] = 0;
	return pl_background_parse(text);
}

void pl_background_open(struct pl_background *background, dev_t device)
{
	char path[64];

	background->own = 0;
	background->is_lost = false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(device), minor(device));
	background->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (background->fd < 0)
		background->fd = 0;
	background->before = read_count(background);
}

void pl_background_close(struct pl_background *background)
{
	if (background->fd > 0)
		close(background->fd);
	background->fd = 0;
}

void pl_background_add(struct pl_background *background, ssize_t got, size_t wanted)
{
	background->own += got > 0 ? (size_t)got : 0;
	background->is_lost = background->is_lost || got < 0 || (size_t)got < wanted;
}

int64_t pl_background_others(struct pl_background *background)
{
	uint64_t now = read_count(background), seen = now - background->before;
	int64_t others = -1;

	if (!background->is_lost && seen && seen >= background->own)
		others = (int64_t)(seen - background->own);
	background->before = now;
	background->own = 0;
	background->is_lost = false;
	return others;
}
