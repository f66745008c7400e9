# shellcheck shell=bash
# Debian packages: which of a list are missing, and how they get installed.
# Uses: say (from say.sh). A list is a file of tools/packages: one name per line, '#' comments.

# packages_wanted FILE…: the packages of the lists under the names this distribution gives them
# (ubuntu.names: Debian's name, Ubuntu's name), sorted, one per line.
packages_wanted() {
	local names=/dev/null
	if grep -qsx 'ID=ubuntu' "${OS_RELEASE:-/etc/os-release}"; then
		names=$(dirname "${BASH_SOURCE[0]}")/ubuntu.names
	fi
	awk 'FILENAME == ARGV[1] { other[$1] = $2; next }
		{ sub(/#.*/, "") }
		NF { print ($1 in other) ? other[$1] : $1 }' "$names" "$@" | sort -u
}

# packages_missing FILE…: the packages of the lists that are not installed, sorted, one per line.
packages_missing() {
	local -a wanted
	mapfile -t wanted < <(packages_wanted "$@")
	comm -23 <(printf '%s\n' "${wanted[@]}") \
		<(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null |
			sed -n 's/ installed$//p' | sort -u)
}

# packages_apt ARGS…: apt-get without questions; a busy package system is waited for.
packages_apt() {
	DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# packages_install LOG PACKAGE…: installs; the package index is fetched only when apt needs it.
packages_install() {
	local log=$1
	shift
	packages_apt install --no-install-recommends "$@" >"$log" 2>&1 && return 0
	packages_apt update >>"$log" 2>&1 || return 1
	packages_apt install --no-install-recommends "$@" >>"$log" 2>&1
}

# packages_may_install ANSWER: root may, with ANSWER "yes" or after a question on the terminal.
packages_may_install() {
	local reply
	[ "$(id -u)" = 0 ] || return 1
	[ "$1" = yes ] && return 0
	[ -t 0 ] && [ -t 2 ] || return 1
	printf '%s: install them now? [Y/n] ' "$SAY_NAME" >&2
	read -r reply || return 1
	case $reply in '' | [Yy]*) return 0 ;; *) return 1 ;; esac
}

# packages_need ANSWER FILE…: returns 0 when everything is there (perhaps after installing it);
# otherwise says what to type and returns 5. Without dpkg the names are only a hint: see cmake.
packages_need() {
	local answer=$1 log sudo=
	local -a missing
	shift
	command -v dpkg-query >/dev/null || return 0
	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	say "missing packages: ${missing[*]}"
	if ! packages_may_install "$answer"; then
		[ "$(id -u)" = 0 ] || sudo='sudo '
		say "to install them:"
		echo "  ${sudo}apt-get update && ${sudo}apt-get install --no-install-recommends" \
			"${missing[*]}" >&2
		return 5
	fi
	log=$(mktemp) || return 1
	say "installing ${#missing[@]} packages"
	if ! packages_install "$log" "${missing[@]}"; then
		say_tail "$log"
		say "apt-get failed (log: $log)"
		return 5
	fi
	rm -f "$log"
}
