/* One read as a submission queue entry, and what its completion says. */

#include <errno.h>
#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <string.h>

#include "nvme_probe/command.h"
#include "nvme_probe/read.h"

/* Where the 80 command bytes of a 128-byte entry begin (struct io_uring_sqe, cmd). */
#define COMMAND_OFFSET 48

uint64_t pl_reader_next_offset(struct pl_reader *reader)
{
	uint64_t place = 0;

	switch (reader->pattern) {
	case PL_READ_RANDOM:
		place = pl_rng_below(&reader->rng, reader->places);
		break;
	case PL_READ_FAST_LBA:
		place = reader->fast_place;
		break;
	case PL_READ_SEQUENTIAL:
		place = reader->next++ % reader->places;
		break;
	case PL_READ_SAME_LBA:
	case PL_READ_PATTERNS:
		break;
	}
	return place * reader->size_bytes;
}

static void prepare_block(const struct pl_reader *reader, struct io_uring_sqe *sqe, void *buffer,
			  uint64_t offset)
{
	if (reader->ring.has_fixed_buffer)
		io_uring_prep_read_fixed(sqe, 0, buffer, reader->size_bytes, offset, 0);
	else
		io_uring_prep_read(sqe, 0, buffer, reader->size_bytes, offset);
	sqe->flags |= IOSQE_FIXED_FILE;
}

/* The one I/O command that this program builds: Read. */
static void prepare_passthru(const struct pl_reader *reader, struct io_uring_sqe *sqe, void *buffer,
			     uint64_t offset)
{
	uint64_t lba = offset / reader->target.block_bytes;
	struct nvme_uring_cmd command = {
		.opcode = PL_NVME_IO_READ,
		.nsid = reader->nsid,
		.addr = (uint64_t)(uintptr_t)buffer,
		.data_len = reader->size_bytes,
		.cdw10 = (uint32_t)lba,
		.cdw11 = (uint32_t)(lba >> 32),
		.cdw12 = reader->size_bytes / reader->target.block_bytes - 1,
	};

	memset(sqe, 0, 2 * sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->cmd_op = NVME_URING_CMD_IO;
	memcpy((char *)sqe + COMMAND_OFFSET, &command, sizeof(command));
}

void pl_reader_prepare(struct pl_reader *reader, unsigned slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(reader->ring.uring);
	char *buffer = (char *)reader->buffer + (size_t)slot * reader->size_bytes;
	uint64_t offset = pl_reader_next_offset(reader);

	if (pl_read_path_is_passthru(reader->path))
		prepare_passthru(reader, sqe, buffer, offset);
	else
		prepare_block(reader, sqe, buffer, offset);
	sqe->user_data = slot;
}

int pl_reader_take(struct pl_reader *reader, struct io_uring_cqe *cqe)
{
	int result = cqe->res;

	io_uring_cqe_seen(reader->ring.uring, cqe);
	if (!pl_read_path_is_passthru(reader->path) || result < 0)
		return result;
	/* A command's result is its NVMe status; 0 is success. */
	return result ? -EIO : (int)reader->size_bytes;
}
