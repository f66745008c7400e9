# shellcheck shell=bash
# Building a CMake preset of the checkout $TOP, quietly and one build at a time.
# Uses: say, say_tail.

# build_as_owner COMMAND…: root builds as the owner of the checkout, so that the build folder stays
# usable for that person (and root runs no compiler on somebody else's sources).
build_as_owner() {
	local owner
	owner=$(stat -c %u:%g "$TOP")
	if [ "$(id -u)" != 0 ] || [ "${owner%%:*}" = 0 ]; then
		"$@"
		return
	fi
	setpriv --reuid "${owner%%:*}" --regid "${owner##*:}" --clear-groups \
		env HOME="$TOP/build" "$@"
}

# build_is_configured PRESET: false also when the checkout was moved since.
build_is_configured() {
	[ -f "$TOP/build/$1/build.ninja" ] &&
		grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$TOP" "$TOP/build/$1/CMakeCache.txt"
}

# build_is_current PRESET TARGET: nothing to do; also works in a folder that cannot be written.
build_is_current() {
	build_is_configured "$1" &&
		ninja -C "$TOP/build/$1" -n "$2" 2>/dev/null | grep -q 'no work to do'
}

# build_run PRESET TARGET: configures when needed, then builds.
build_run() {
	if ! build_is_configured "$1"; then
		build_as_owner cmake --fresh -S "$TOP" --preset "$1" || return
	fi
	build_as_owner cmake --build "$TOP/build/$1" --target "$2"
}

# build_locked PRESET TARGET: build_run after whoever builds now; the log is shown when it fails.
build_locked() {
	local log=$TOP/build/$1.log
	flock -n 9 || { say "waiting for another build" && flock 9; }
	build_is_current "$1" "$2" && return 0
	say "building $1 (log: $log)"
	build_as_owner touch "$log" && build_run "$1" "$2" 9<&- >"$log" 2>&1 && return 0
	say_tail "$log"
	say "the build failed (log: $log)"
	return 1
}

# build_preset PRESET TARGET: brings one target of build/PRESET up to date.
build_preset() {
	local lock=$TOP/build/.lock
	build_is_current "$1" "$2" && return 0
	build_as_owner mkdir -p "$TOP/build" 2>/dev/null
	build_as_owner touch "$lock" 2>/dev/null
	if [ ! -w "$lock" ]; then
		say "cannot write to $TOP/build: run this as the owner of that folder"
		return 1
	fi
	(build_locked "$@") 9<>"$lock"
}
