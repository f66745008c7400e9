#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

static volatile sig_atomic_t pending;

static volatile sig_atomic_t stops;

static void on_continue(int number)
{
	(void)number;
	stops = stops < SIG_ATOMIC_MAX ? stops + 1 : 0;
}

static void on_signal(int number)
{
	pending = number;
}

void pl_signals_install(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_flags = 0;
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	action.sa_handler = on_continue;
	action.sa_flags = SA_RESTART;
	sigaction(SIGCONT, &action, NULL);
}

unsigned pl_signals_stops(void)
{
	return (unsigned)stops;
}

int pl_signals_pending(void)
{
	return pending;
}
