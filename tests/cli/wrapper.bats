#!/usr/bin/env bats
# tools/pcielat's own behaviour: packages, build, hand-over. The package system, cmake and the
# program are stand-ins in a copy of the checkout; what they were called with is in $calls.
# shellcheck disable=SC2154 # copied_checkout sets top, bin, calls, installed
bats_require_minimum_version 1.5.0
load stand_ins

install='apt-get install --no-install-recommends'

setup() {
	copied_checkout
	printf '%s\n' alpha-dev beta-dev >"$top/tools/packages/build.txt"
	printf '%s\n' alpha-dev beta-dev >"$installed"
	stand_in apt-get <<'EOF'
echo "apt-get $*" >>"$calls"
[ ! -e "$installed.fail" ] || { echo "no such package" && exit 100; }
case $* in
*update*) touch "$installed.index" ;;
*) [ -e "$installed.index" ] && printf '%s\n' "$@" | grep -- '-dev$' >>"$installed" ;;
esac
EOF
	stand_in cmake <<'EOF'
echo "cmake $*" >>"$calls"
[ ! -e "$calls.fail" ] || { echo "the compiler's words" && exit 1; }
case $* in
*--preset*)
	mkdir -p "$3/build/release" && touch "$3/build/release/build.ninja"
	echo "CMAKE_HOME_DIRECTORY:INTERNAL=$3" >"$3/build/release/CMakeCache.txt"
	;;
*)
	mkdir "$2/building" || { echo overlap >>"$calls" && exit 1; }
	sleep 0.3
	cmp -s "$calls.program" "$2/pcielat" || echo '[1/1] Linking C executable pcielat'
	cp "$calls.program" "$2/pcielat"
	rmdir "$2/building"
	;;
esac
EOF
	# A root that is only pretended cannot become somebody else.
	[ "$EUID" = 0 ] || stand_in setpriv <<'EOF'
while [ "$1" != env ]; do shift; done
exec "$@"
EOF
	user_is 1000
	program <<'EOF'
printf '<%s>' "$@"
EOF
}

# program <script: what the build makes.
program() {
	{ echo '#!/bin/bash' && cat; } >"$calls.program"
	chmod +x "$calls.program"
}

@test "arguments reach the program unchanged, from any folder" {
	cd /
	run "$top/tools/pcielat" --slot 'PCIEX16 1' '' '*' --yes
	[ "$status" -eq 0 ]
	[[ $output == *'<--slot><PCIEX16 1><><*><--yes>' ]]
}

@test "the program runs in the caller's folder" {
	program <<<'pwd'
	cd "$BATS_TEST_TMPDIR"
	run "$top/tools/pcielat"
	[[ $output == *"$BATS_TEST_TMPDIR" ]]
}

@test "works through a symbolic link" {
	ln -s "$top/tools/pcielat" "$BATS_TEST_TMPDIR/link"
	run "$BATS_TEST_TMPDIR/link" list
	[ "$status" -eq 0 ]
	[[ $output == *'<list>' ]]
}

@test "the exit code is the program's" {
	program <<<'exit 42'
	run "$top/tools/pcielat"
	[ "$status" -eq 42 ]
}

@test "a signal reaches the program" {
	program <<'EOF'
trap 'echo caught >>"$calls"; exit 143' TERM
echo ready >>"$calls"
while :; do sleep 0.05; done
EOF
	"$top/tools/pcielat" >/dev/null 2>&1 3>&- &
	for _ in {1..200}; do grep -q ready "$calls" && break || sleep 0.05; done
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 143 ]
	grep -q caught "$calls"
}

@test "the second call is silent and configures nothing" {
	run "$top/tools/pcielat" list
	[[ $output == *'building release (log: '*'<list>' ]]
	: >"$calls"
	run "$top/tools/pcielat" list
	[ "$output" = '<list>' ]
	run ! grep -- --preset "$calls"
}

@test "a moved checkout is configured again" {
	"$top/tools/pcielat" 2>/dev/null
	mv "$top" "$top moved"
	run "$top moved/tools/pcielat" list
	[ "$status" -eq 0 ]
	grep -q "cmake --fresh -S $top moved --preset release" "$calls"
}

@test "two calls at once build one after the other" {
	"$top/tools/pcielat" one >"$calls.1" 2>&1 3>&- &
	"$top/tools/pcielat" two >"$calls.2" 2>&1 3>&- &
	wait
	grep -q '<one>' "$calls.1"
	grep -q '<two>' "$calls.2"
	run ! grep -q overlap "$calls"
	[ "$(grep -c -- --preset "$calls")" -eq 1 ]
}

@test "a failing build shows the compiler's words and the log" {
	touch "$calls.fail"
	run "$top/tools/pcielat" list
	[ "$status" -eq 1 ]
	[[ $output == *"the compiler's words"*"the build failed (log: $top/build/release.log)"* ]]
	[[ $output != *'<list>'* ]]
}

@test "an ordinary user without a package gets the exact command and exit 5" {
	echo alpha-dev >"$installed"
	run "$top/tools/pcielat" --yes list
	[ "$status" -eq 5 ]
	[[ $output == *'missing packages: beta-dev'* ]]
	[[ $output == *"sudo apt-get update && sudo $install beta-dev" ]]
	[ ! -s "$calls" ]
}

@test "root without --yes and without a terminal gets the command, nothing is installed" {
	user_is 0
	: >"$installed"
	run "$top/tools/pcielat" list </dev/null
	[ "$status" -eq 5 ]
	[[ $output == *"  apt-get update && $install alpha-dev beta-dev" ]]
	[ ! -s "$calls" ]
}

@test "root with --yes installs what is missing, fetching the index when apt needs it" {
	user_is 0
	echo alpha-dev >"$installed"
	run "$top/tools/pcielat" --yes list </dev/null
	[ "$status" -eq 0 ]
	[[ $output == *'installing 1 packages'*'<list>' ]]
	[ "$(grep -c 'apt-get .*install --no-install-recommends beta-dev' "$calls")" -eq 2 ]
	[ "$(grep -c 'apt-get .*update' "$calls")" -eq 1 ]
}

@test "root on a terminal is asked: no installs nothing, yes installs" {
	user_is 0
	echo alpha-dev >"$installed"
	touch "$installed.index"
	run script -qec "'$top/tools/pcielat' list" /dev/null <<<n
	[[ $output == *'install them now? [Y/n]'*'to install them:'* ]]
	[ ! -s "$calls" ]
	run script -qec "'$top/tools/pcielat' list" /dev/null <<<y
	[[ $output == *'<list>'* ]]
	grep -q 'install --no-install-recommends beta-dev' "$calls"
}

@test "a failing apt-get shows its words, exit 5" {
	user_is 0
	: >"$installed"
	touch "$installed.fail"
	run "$top/tools/pcielat" --yes list </dev/null
	[ "$status" -eq 5 ]
	[[ $output == *'no such package'*'apt-get failed (log: '* ]]
}

@test "a system without dpkg goes straight to the build" {
	mkdir "$BATS_TEST_TMPDIR/small"
	for tool in bash cat chmod cp dirname env flock grep ln mkdir mktemp readlink rmdir sed \
		sleep stat tail touch; do
		ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/small"
	done
	rm "$bin/dpkg-query"
	PATH=$bin:$BATS_TEST_TMPDIR/small run "$top/tools/pcielat" list
	[ "$status" -eq 0 ]
	[[ $output == *'<list>' ]]
}

@test "somebody else's build folder: current is run, stale is said" {
	local -a other=()
	if [ "$EUID" = 0 ]; then
		other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
		open_to_all
	fi
	"$top/tools/pcielat" 2>/dev/null
	chmod -R a-w "$top/build"
	run "${other[@]}" "$top/tools/pcielat" list
	[ "$output" = '<list>' ]
	touch "$top/new.c"
	run "${other[@]}" "$top/tools/pcielat" list
	chmod -R u+w "$top/build"
	[ "$status" -eq 1 ]
	[[ $output == *"cannot write to $top/build"* ]]
}

@test "root builds somebody's checkout as that person" {
	[ "$EUID" = 0 ] || skip "only root can become somebody else"
	open_to_all
	chmod a+rw "$calls"
	chown -R 65534:65534 "$top"
	user_is 0
	run "$top/tools/pcielat" list
	[ "$status" -eq 0 ]
	[ "$(stat -c %u "$top/build" "$top/build/release/pcielat" "$top/build/release.log")" = \
		$'65534\n65534\n65534' ]
}

@test "packages go by the distribution's own names" {
	printf '%s\n' linux-image-amd64 '# a comment' beta-dev >"$top/tools/packages/build.txt"
	export OS_RELEASE=$BATS_TEST_TMPDIR/os-release
	echo 'ID=debian' >"$OS_RELEASE"
	run "$top/tools/pcielat"
	[ "$status" -eq 5 ]
	[[ $output == *"missing packages: linux-image-amd64"$'\n'* ]]
	printf '%s\n' 'NAME="Ubuntu"' 'ID=ubuntu' >"$OS_RELEASE"
	run "$top/tools/pcielat"
	[ "$status" -eq 5 ]
	[[ $output == *"missing packages: linux-image-generic"$'\n'* ]]
}
