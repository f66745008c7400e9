#ifndef PL_NVME_PROBE_COMMAND_H
#define PL_NVME_PROBE_COMMAND_H

/* Opcodes and fields that are used (NVM Express Base and NVM Command Set Specifications). */

#define PL_NVME_IO_READ 0x02
#define PL_NVME_ADMIN_GET_LOG_PAGE 0x02
#define PL_NVME_ADMIN_IDENTIFY 0x06
#define PL_NVME_ADMIN_GET_FEATURES 0x0a

#define PL_NVME_FEATURE_POWER 0x02
#define PL_NVME_FEATURE_APST 0x0c

#define PL_NVME_CNS_NAMESPACE 0x00
#define PL_NVME_CNS_CONTROLLER 0x01

#define PL_NVME_IDENTIFY_BYTES 4096
#define PL_NVME_APST_BYTES 256

#endif
