#ifndef PL_CLI_EXIT_H
#define PL_CLI_EXIT_H

/* Exit codes, documented in pcielat(1). */
enum pl_exit {
	PL_EXIT_DONE = 0,
	PL_EXIT_INTERNAL = 1,
	PL_EXIT_USAGE = 2,
	PL_EXIT_NOTHING = 3,    /* nothing to measure */
	PL_EXIT_PERMISSION = 4, /* permission missing for something explicitly asked for */
	PL_EXIT_REFUSED = 5,    /* the environment refuses */
	PL_EXIT_MISMATCH = 6,   /* session or fingerprint does not match */
	PL_EXIT_THRESHOLD = 7,  /* compare --fail-over exceeded */
	PL_EXIT_INVALID = 8,    /* done, but some results are invalid, or not comparable */
	PL_EXIT_MOVE_CARD = 10, /* session not finished: move the card */
	PL_EXIT_SIGHUP = 129,
	PL_EXIT_SIGINT = 130,
	PL_EXIT_SIGTERM = 143,
};

#endif
