/*
 * How far the tool's claims can be trusted: thousands of simulated boards with known effects go
 * through the same attribution as a real run, and what is claimed is compared with what was put in.
 *
 *   calibration [--boards N] [--seed S] [--json]
 *
 * The last line is one JSON object. --json: that line only.
 */

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim_score.h"

static int usage(void)
{
	fputs("usage: calibration [--boards N] [--seed S] [--json]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"boards", required_argument, NULL, 'b'},
						{"seed", required_argument, NULL, 's'},
						{"json", no_argument, NULL, 'j'},
						{NULL, 0, NULL, 0}};
	struct sim_calibration_options o = {.boards = 500, .seed = 1, .power_every = 20};
	struct sim_calibration result;
	int c;

	while ((c = getopt_long(argc, argv, "b:s:j", options, NULL)) != -1) {
		if (c == 'b')
			o.boards = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 's')
			o.seed = strtoull(optarg, NULL, 0);
		else if (c == 'j')
			o.is_quiet = true;
		else
			return usage();
	}
	if (!o.boards || optind < argc)
		return usage();
	pl_sim_calibrate(&o, &result);
	if (!o.is_quiet)
		pl_sim_calibration_print(&result, stdout);
	pl_sim_calibration_print_json(&result, stdout);
	pl_sim_calibration_fini(&result);
	return 0;
}
