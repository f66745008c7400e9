#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t pending;

static void on_signal(int number)
{
	pending = number;
}

void pl_signals_install(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int pl_signals_pending(void)
{
	return pending;
}
