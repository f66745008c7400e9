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

# build_is_current PRESET TARGET: built, and no source is newer; for a folder that is read-only.
build_is_current() {
	local program=$TOP/build/$1/$2
	local -a sources=(-name '*.[ch]' -o -name '*.comp' -o -name '*.tsv' -o -name '*.cmake' -o
		-name CMakeLists.txt)
	[ -x "$program" ] || return 1
	[ -z "$(find "$TOP" \( -path "$TOP/build" -o -path "$TOP/tests" \) -prune -o \
		-newer "$program" \( "${sources[@]}" \) -print -quit)" ]
}

# build_run PRESET TARGET: configures when needed, then builds.
build_run() {
	if ! build_is_configured "$1"; then
		build_as_owner cmake --fresh -S "$TOP" --preset "$1" || return
	fi
	build_as_owner cmake --build "$TOP/build/$1" --target "$2"
}

# build_announce PRESET LOG: copies its input to the log and says so once there is work.
build_announce() {
	local line said=no
	while IFS= read -r line; do
		case $said-$line in
		"no--- "* | no-[[]*"] Building "* | no-[[]*"] Linking "*)
			say "building $1 (log: $2)"
			said=yes
			;;
		esac
		printf '%s\n' "$line"
	done >"$2"
}

# build_locked PRESET TARGET: build_run after whoever builds now; the log is shown when it fails.
build_locked() {
	local log=$TOP/build/$1.log
	flock -n 9 || { say "waiting for another build" && flock 9; }
	build_as_owner touch "$log" &&
		build_run "$1" "$2" 2>&1 9<&- | build_announce "$1" "$log" && return 0
	say_tail "$log"
	say "the build failed (log: $log)"
	return 1
}

# build_preset PRESET TARGET: brings one target of build/PRESET up to date.
build_preset() {
	local lock=$TOP/build/.lock
	build_as_owner mkdir -p "$TOP/build" 2>/dev/null
	build_as_owner touch "$lock" 2>/dev/null
	if [ -w "$lock" ]; then
		(build_locked "$@") 9<>"$lock"
	elif ! build_is_current "$@"; then
		say "cannot write to $TOP/build: run this as the owner of that folder"
		return 1
	fi
}
