#include "nvme_probe/opcode.h"

#include <stddef.h>

#include "nvme_probe/command.h"

bool pl_nvme_is_allowed(enum pl_nvme_queue queue, uint8_t opcode)
{
	static const struct {
		enum pl_nvme_queue queue;
		uint8_t opcode;
	} allowed[] = {
		{PL_NVME_QUEUE_IO, PL_NVME_IO_READ},
		{PL_NVME_QUEUE_ADMIN, PL_NVME_ADMIN_GET_LOG_PAGE},
		{PL_NVME_QUEUE_ADMIN, PL_NVME_ADMIN_IDENTIFY},
		{PL_NVME_QUEUE_ADMIN, PL_NVME_ADMIN_GET_FEATURES},
	};

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (allowed[i].queue == queue && allowed[i].opcode == opcode)
			return true;
	return false;
}
