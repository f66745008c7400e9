#!/usr/bin/env bats
# tools/check's own behaviour: one run shows everything, and ctest's summary comes last.
# shellcheck disable=SC2154 # copied_checkout sets top, bin, calls, installed
bats_require_minimum_version 1.5.0
load stand_ins

setup() {
	copied_checkout
	echo alpha-dev >"$installed"
	cp "$installed" "$top/tools/packages/build.txt"
	cp "$installed" "$top/tools/packages/check.txt"
	user_is 1000
	stand_in cmake <<'EOF'
echo "cmake $*" >>"$calls"
case $*:$(cat "$calls.broken" 2>/dev/null) in
*/release*:release) exit 1 ;;
*--preset*) mkdir -p "$3/build/$5" && touch "$3/build/$5/build.ninja" ;;
esac
EOF
	stand_in ctest <<'EOF'
echo "ctest $*" >>"$calls"
while [ "$1" != --output-junit ]; do shift; done
cat >"$2" <<'XML'
<testsuite><testcase name="one"><system-out>fine</system-out></testcase>
<testcase name="two"><skipped/><system-out>starting
no kernel image</system-out></testcase>
<testcase name="three"><system-out>ok 1 here
ok 2 there # skip no shell
[  SKIPPED ] test_drive
</system-out></testcase></testsuite>
XML
echo '3/3 Test #3: three ... Passed'
echo
echo '100% tests passed, 0 tests failed out of 3'
echo
echo 'Total Test time (real) = 1.00 sec'
exit "$(cat "$calls.exit" 2>/dev/null || echo 0)"
EOF
}

@test "three builds, then one ctest run on the first" {
	run "$top/tools/check"
	[ "$status" -eq 0 ]
	[ "$(grep -c -- --preset "$calls")" -eq 3 ]
	[ "$(grep -c '^ctest' "$calls")" -eq 1 ]
	grep -q "^ctest --test-dir $top/build/dev " "$calls"
	run ! grep -- -LE "$calls"
}

@test "--fast leaves out guest, slow and browser tests" {
	"$top/tools/check" --fast
	grep -qF -- '-LE ^(guest|slow|browser)$' "$calls"
	[ "$(grep -c -- --preset "$calls")" -eq 1 ]
}

@test "the skipped tests and cases have their reasons, and the summary comes last" {
	run --separate-stderr "$top/tools/check"
	[[ $output == *'three ... Passed'*'Skipped: 3
  three: test_drive: see the test'"'"'s output
  three: there: no shell
  two: no kernel image

100% tests passed, 0 tests failed out of 3

Total Test time (real) = 1.00 sec' ]]
}

@test "a failing build does not hide the tests, and fails the whole" {
	echo release >"$calls.broken"
	run "$top/tools/check"
	[ "$status" -eq 1 ]
	[[ $output == *'100% tests passed'*'failed: release build' ]]
}

@test "failing tests fail the whole" {
	echo 8 >"$calls.exit"
	run "$top/tools/check"
	[ "$status" -eq 1 ]
	[[ $output == *'failed: tests' ]]
}

@test "an ordinary user without a package gets the command" {
	: >"$installed"
	run "$top/tools/check"
	[ "$status" -eq 5 ]
	[[ $output == *'install --no-install-recommends alpha-dev' ]]
	[ ! -s "$calls" ]
}

@test "another argument is a usage error" {
	run "$top/tools/check" --quick
	[ "$status" -eq 2 ]
	[[ $output == *'usage: tools/check [--fast]' ]]
}

@test ".ci/run is tools/check" {
	mkdir "$top/.ci"
	cp "$BATS_TEST_DIRNAME/../../.ci/run" "$top/.ci"
	cd /
	run "$top/.ci/run"
	[ "$status" -eq 0 ]
	grep -q '^ctest' "$calls"
}
