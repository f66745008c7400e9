#ifndef PL_CLI_SIGNALS_H
#define PL_CLI_SIGNALS_H

#include <stdbool.h>

/* SIGINT and SIGTERM: the first asks the walk to stop between blocks, the second kills as usual. */
void pl_signals_install(void);
/* The signal that arrived, or 0. */
int pl_signals_pending(void);

#endif
