#ifndef PL_CLI_SIGNALS_H
#define PL_CLI_SIGNALS_H

#include <stdbool.h>

/*
 * SIGINT and SIGTERM: the first asks the walk to stop between blocks, the second kills as usual.
 * SIGHUP (the terminal was closed) asks the same, as often as it comes, unless nohup ignores it.
 * How often the process was continued after a stop is counted.
 */
void pl_signals_install(void);
/* The signal that arrived, or 0. */
int pl_signals_pending(void);
/* How often the process was stopped and continued (SIGTSTP or SIGSTOP, SIGCONT). */
unsigned pl_signals_stops(void);

#endif
