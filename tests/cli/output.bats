#!/usr/bin/env bats
# Where output goes: full disks, devices, files that are half written.
bats_require_minimum_version 1.5.0

setup() {
	[ -n "${PCIELAT-}" ] || skip "the program is not built"
	cd "$BATS_TEST_TMPDIR" || exit
	head -c 1048576 /dev/urandom >drive
}

watch() { "$PCIELAT" monitor drive --progress never "$@"; }

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
	grep -q ' reads in ' said
	grep -q '"ended":true' record
}

@test "a capture is no file in place of a device" {
	run "$PCIELAT" capture -o /dev/null
	[ "$status" -eq 0 ]
	[ -c /dev/null ]
}
