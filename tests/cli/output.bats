#!/usr/bin/env bats
# Where output goes: full disks, devices, files that are half written.
bats_require_minimum_version 1.5.0

setup() {
	[ -n "${PCIELAT-}" ] || skip "the program is not built"
	cd "$BATS_TEST_TMPDIR" || exit
	head -c 1048576 /dev/urandom >drive
}

watch() { "$PCIELAT" monitor drive --progress never "$@"; }

@test "a folder cannot take a record, and that is said before watching" {
	mkdir folder
	run timeout 20 "$PCIELAT" monitor drive --duration 1h --json=folder --progress never
	[ "$status" -eq 1 ]
	[[ $output == *"folder: Is a directory"* ]]
}

@test "what a file cannot do is refused, with what there is" {
	head -c 65536 /dev/zero >zeros
	run "$PCIELAT" run --file zeros --gap 1ms -o gone
	[ "$status" -eq 2 ]
	[[ $output == *"--gap 1ms: a file is read without gaps"* ]]
	[ ! -e gone ]
	run "$PCIELAT" monitor zeros --nvme-path turbo --duration 1s
	[ "$status" -eq 2 ]
	[[ $output == *"no path is called turbo; there are: io_uring-iopoll, "*"pread"* ]]
}

@test "a full disk under stdout is an error, whatever the command" {
	for command in --help --version list doctor "report --help"; do
		# shellcheck disable=SC2086
		run bash -c "\"$PCIELAT\" $command 2>&1 >/dev/full"
		[ "$status" -eq 1 ]
		[[ $output == *"the output could not be written: "* ]]
	done
	run bash -c "\"$PCIELAT\" monitor drive --duration 1s 2>&1 >/dev/full"
	[ "$status" -eq 1 ]
}

@test "a reader that has seen enough is no error" {
	run bash -c "\"$PCIELAT\" list --json 2>&1 | head -c 1"
	[ "$output" = "{" ]
}

@test "monitor says before it watches that a file cannot be written" {
	run timeout 20 "$PCIELAT" monitor drive --duration 1h --json=/no/such/folder/x
	[ "$status" -eq 1 ]
	[[ $output == *"/no/such/folder/x: No such file or directory"* ]]
	run timeout 20 "$PCIELAT" monitor drive --duration 1h --hgrm=/no/such/folder/x
	[ "$status" -eq 1 ]
}

@test "monitor tells what it saw when its file is full" {
	run watch --duration 1s --json=/dev/full --hgrm=whole
	[ "$status" -eq 1 ]
	[[ $output == *" reads in 1 s"* ]]
	[[ $output == *"/dev/full: "*"No space left on device"* ]]
	[ -s whole ]
}

@test "a watch that is killed leaves its record" {
	echo untouched >record
	"$PCIELAT" monitor drive --progress never --json=record >/dev/null 3>&- &
	while grep -q untouched record; do sleep 0.1; done
	kill -9 $!
	wait $! || [ $? -eq 137 ]
	grep -q '"ended":false' record
	watch --duration 1s --json=record >/dev/null
	grep -q '"ended":true' record
	[ ! -e record.part ]
}

@test "Ctrl-C ends a watch with its summary" {
	"$PCIELAT" monitor drive --progress never --json=record >said 3>&- &
	while [ ! -s record ]; do sleep 0.1; done
	kill -INT $!
	wait $!
	grep -q ' reads\? in ' said
	grep -q '"ended":true' record
}

@test "a capture is no file in place of a device" {
	run "$PCIELAT" capture -o /dev/null
	[ "$status" -eq 0 ]
	[ -c /dev/null ]
}

@test "two outputs do not overwrite each other, nor what is read" {
	run "$PCIELAT" monitor drive --duration 1s --json=both --hgrm=./both
	[ "$status" -eq 2 ]
	[[ $output == *"two outputs would go to one file"* ]]
	run "$PCIELAT" monitor drive --duration 1s --json=- --hgrm=-
	[ "$status" -eq 2 ]
	ln drive other
	for file in drive "$PWD/drive" other; do
		run "$PCIELAT" monitor drive --duration 1s --json="$file"
		[ "$status" -eq 2 ]
		run "$PCIELAT" run --quick --file drive --csv="$file"
		[ "$status" -eq 2 ]
	done
	[ "$(stat -c %s drive)" -eq 1048576 ]
	run "$PCIELAT" monitor drive --duration 1s --json=/dev/null --hgrm=/dev/null
	[ "$status" -eq 0 ]
}

@test "no time at all is no watch without an end" {
	for time in 0 0s 0.3; do
		run timeout 20 "$PCIELAT" monitor drive --duration "$time"
		[ "$status" -eq 2 ]
	done
	run timeout 20 "$PCIELAT" monitor drive --interval 1h --duration 1s
	[ "$status" -eq 0 ]
	[[ $output == *" 0 reads in 1 s: min n/a, p50 n/a, p99 n/a, max n/a"* ]]
}

@test "monitor says what it read through, though it is gone" {
	(sleep 0.7 && truncate -s 0 drive) 3>&- &
	run watch --duration 2s --json=record
	[ "$status" -eq 8 ]
	[[ $output == *" gone since "* ]]
	[[ $output != *"(null)"* ]]
	grep -q '"path":"' record
}

@test "a terminal that is closed ends a watch with its record" {
	"$PCIELAT" monitor drive --progress never --json=record >said 3>&- &
	while [ ! -s record ]; do sleep 0.1; done
	sleep 0.5
	kill -HUP $!
	wait $!
	grep -q '"ended":true' record
}

@test "holes of a file are said to be no drive" {
	truncate -s 1M sparse
	run "$PCIELAT" monitor sparse --progress never --duration 1s --json=record
	[ "$status" -eq 0 ]
	[[ $output == *" W-SPARSE: 100 % of sparse was never written"* ]]
	grep -q '"warnings":\["W-SPARSE' record
	run "$PCIELAT" run --quick --file sparse -o out
	[ "$status" -eq 0 ]
	[[ $output == *" W-SPARSE: 100 % of sparse was never written"* ]]
}

@test "a time without a unit is refused, an early end has a code of its own" {
	run watch --duration 10
	[ "$status" -eq 2 ]
	[[ $output == *"--duration 10: of what? Like 10ms, 60s or 2h"* ]]
	run watch --interval 5 --duration 1s
	[ "$status" -eq 2 ]
	"$PCIELAT" monitor drive --progress never --duration 1h --json=early >said 3>&- &
	while [ ! -s early ]; do sleep 0.1; done
	kill -TERM $!
	wait $! || [ $? -eq 143 ]
	grep -q ' reads\? in ' said
	grep -q '"begun":"20..-..-..T..:..:..Z"' early
}

@test "a report names the command as it was typed" {
	"$PCIELAT" run --file drive --quick --allow-virtual --progress never -o typed >/dev/null
	python3 -c '
import json
argv = json.load(open("typed/results.json"))["session"]["argv"]
assert argv[1:3] == ["run", "--file"], argv'
}
