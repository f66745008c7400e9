#include "tests/t.h"

#include "cli/watch_view.h"

/* What a finished watch says, for one and for several. */

static struct pl_watch watch;

static char *summary_of(unsigned count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	memset(&watch, 0, sizeof(watch));
	watch.elapsed_s = 1.0;
	for (unsigned i = 0; i < count; i++)
		pl_hist_add(&watch.hist, 80000);
	watch.late = watch.failed = watch.stopped = watch.spikes_dropped = count;
	watch.host_waits = watch.others = count;
	pl_watch_view_summary(&watch, out);
	fclose(out);
	return text;
}

static void check(unsigned count, const char *const *sentences)
{
	char *text = summary_of(count);

	for (; *sentences; sentences++)
		if (!strstr(text, *sentences))
			fail_msg("missing: %s\nin:\n%s", *sentences, text);
	free(text);
}

static void one_is_one(void **state)
{
	static const char *const sentences[] = {
		"  1 read in 1 s: ",
		"  1 spike above ",
		"  1 tick was left out: ",
		"  1 slow read is no spike: ",
		"  others did 1 read or write on this drive ",
		"during 1 read, which is in no number above\n",
		"  1 read failed, which is in no number above; the last: ",
		NULL,
	};

	(void)state;
	check(1, sentences);
}

static void two_are_several(void **state)
{
	static const char *const sentences[] = {
		"  2 reads in 1 s: ",
		"  2 spikes above ",
		"  2 ticks were left out: ",
		"  2 slow reads are no spikes: ",
		"  others did 2 reads or writes on this drive ",
		"during 2 reads, which are in no number above\n",
		"  2 reads failed, which are in no number above; the last: ",
		NULL,
	};

	(void)state;
	check(2, sentences);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_one),
		cmocka_unit_test(two_are_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
