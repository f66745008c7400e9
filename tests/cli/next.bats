#!/usr/bin/env bats
# next: how a session begins and what it refuses. The walk itself is in test_store.
bats_require_minimum_version 1.5.0

setup() {
	[ -n "${PCIELAT-}" ] || skip "the program is not built"
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || exit
}

@test "next needs a folder" {
	run "$PCIELAT" next
	[ "$status" -eq 2 ]
	[[ $output == *"next needs the folder of the session"* ]]
}

@test "a session begins with a card" {
	run "$PCIELAT" next new
	[ "$status" -eq 3 ] || [ "$status" -eq 2 ]
	[[ $output == *"name its card with --device"* ]]
	[ ! -e new ]
}

@test "a folder of something else is left alone" {
	mkdir other
	echo hello >other/journal
	run "$PCIELAT" next other
	[ "$status" -eq 2 ]
	[[ $output == *"is not a session of pcielat"* ]]
	[ "$(cat other/journal)" = hello ]
}

@test "a newer session is refused with a sentence" {
	mkdir newer
	echo "pcielat-session 9" >newer/journal
	run "$PCIELAT" next newer
	[ "$status" -eq 5 ]
	[[ $output == *"newer pcielat"* ]]
}

@test "another board is a mismatch: exit 6" {
	mkdir session

	printf 'pcielat-session 1\nfingerprint kernel another\ncard u 1234:5678 Card\nboots 3\n' \
		>session/journal
	printf 'slot 0000:00:01.0/00.0 M2_1\nslot 0000:00:02.0/00.0 M2_2\n' >>session/journal
	run "$PCIELAT" next session
	[ "$status" -eq 6 ]
	[[ $output == *"the kernel changed since the session began"* ]]
	run "$PCIELAT" next session --allow-change kernel
	[ "$status" -eq 10 ]
	[[ $output == *"Card is in no slot of this machine"* ]]
}

# one_session: a session on this machine, whatever it is, with one finished step.
one_session() {
	mkdir -p "$1/runs/0001"
	printf 'pcielat-session 1\ncard u 1234:5678 Card\nboots 1\n' >"$1/journal"
	printf 'slot 0000:00:01.0/00.0 M2_1\nslot - M2_2\n' >>"$1/journal"
	printf 'done 1 0000:00:01.0/00.0 b0\n' >>"$1/journal"
	cp "$BATS_TEST_DIRNAME/../report/data/result-1.0.json" "$1/runs/0001/results.json"
}

@test "a finished step is not asked for again, and there is a report at any time" {
	one_session session
	run "$PCIELAT" next session
	[ "$status" -eq 10 ]
	[[ $output == *"Card is in no slot of this machine: power off, put it into M2_2"* ]]
	[ -s session/report.html ]
}

@test "a finished step whose results are torn is measured again, the file stays" {
	one_session session
	truncate -s 300 session/runs/0001/results.json
	run "$PCIELAT" next session
	[ "$status" -eq 10 ]
	[[ $output == *"session/runs/0001/results.json"*"this boot is to be measured again"* ]]
	[[ $output == *"put it into M2_1"* ]]
	[ "$(stat -c %s session/runs/0001/results.json)" -eq 300 ]
}

@test "--boots wants a number" {
	run "$PCIELAT" next session --boots none --device 00:00.0 --slot a --slot b
	[ "$status" -ne 0 ]
	[ ! -e session ]
}

@test "a dry run of next touches nothing" {
	one_session session
	before=$(cat session/journal)
	run "$PCIELAT" next session --dry-run --slot M2_2
	[ "$status" -eq 0 ]
	[[ $output == *"nothing was measured, changed or written"* ]]
	[ "$(cat session/journal)" = "$before" ]
	[ ! -e session/report.html ]
}
