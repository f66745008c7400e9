#include "core/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int pl_waits_open(void)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd : -errno;
}

int64_t pl_waits_ns(int fd)
{
	unsigned long long ran_ns, waited_ns, slices;
	char text[80];
	ssize_t length = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;

	if (length <= 0)
		return -1;
	text[length] = '\0';
	/* "0 0 0" is what a kernel says that does not count. */
	if (sscanf(text, "%llu %llu %llu", &ran_ns, &waited_ns, &slices) != 3 || !slices)
		return -1;
	return (int64_t)waited_ns;
}
