#!/usr/bin/env bats
# Every long option of every command is in --help, in pcielat(1) and in the three completions, and
# nothing else is.
bats_require_minimum_version 1.5.0

top=$BATS_TEST_DIRNAME/../..

setup() {
	[ -n "${PCIELAT-}" ] || skip "the program is not built"
	PATH=$(dirname "$PCIELAT"):$PATH
}

# The options as --usage shows them: another text than the --help that completions read.
options_of() {
	pcielat "$@" --usage | grep -oE -- '\[--[a-z-]+' | tr -d '[' | sort -u
}

commands() {
	echo run
	pcielat --help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | grep -v '^run$'
}

all_options() {
	for command in $(commands); do options_of "$command"; done | sort -u
}

# bash_completes LINE: what bash offers for the last word of a line.
bash_completes() {
	local COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD
	local -a COMP_WORDS COMPREPLY
	read -ra COMP_WORDS <<<"$1"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	. "$top/completions/pcielat.bash"
	_pcielat
	printf '%s\n' "${COMPREPLY[@]}"
}

# zsh_completes WORD…: the rows that zsh's _describe gets for the last word.
zsh_completes() {
	# shellcheck disable=SC2016 # zsh expands these
	zsh -f -c '_describe() { print -rl -- "${(@P)@[-1]}" }; _files() { }
		file=$1; shift; words=("$@"); CURRENT=$#; . $file' \
		zsh "$top/completions/_pcielat" "$@" | sed 's/:.*//'
}

fish_completes() {
	# shellcheck disable=SC2016 # fish expands these
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$top/completions/pcielat.fish" "$1" | sed 's/\t.*//'
}

@test "there are commands and options to look for" {
	commands | grep -qx list
	all_options | grep -qx -- --all-slots
}

@test "--help has every option" {
	for command in $(commands); do
		pcielat "$command" --help >"$BATS_TEST_TMPDIR/help"
		for option in $(options_of "$command"); do
			grep -qE -- "^ .*$option(\$|[^a-z-])" "$BATS_TEST_TMPDIR/help"
		done
	done
}

@test "the man page has every command and option, and no other" {
	local page=$top/docs/man/pcielat.1.scd
	echo "left: the program, right: $page"
	diff <(all_options) <(grep -oE '\*--[a-z][a-z-]*\*' "$page" | tr -d '*' | sort -u)
	diff <(commands | sort) \
		<(sed -n '/^# COMMANDS/,/^# OPTIONS/s/^\*\([a-z]*\)\*.*/\1/p' "$page" | sort)
}

@test "bash completes every command and option" {
	diff <(commands | sort) <(bash_completes "pcielat " | sort)
	for command in $(commands); do
		diff <(options_of "$command") \
			<(bash_completes "pcielat $command -" | tr -d = | sort)
	done
	diff <(options_of run) <(bash_completes "pcielat --" | tr -d = | sort)
}

@test "bash completes the words of a choice" {
	[ "$(bash_completes "pcielat --clock=t")" = tsc ]
	[ "$(bash_completes "pcielat list --color=a" | tr '\n' ' ')" = "auto always " ]
}

@test "zsh completes every command and option" {
	command -v zsh >/dev/null || skip "zsh is not installed"
	diff <(commands | sort) <(zsh_completes pcielat "" | sort)
	for command in $(commands); do
		diff <(options_of "$command") <(zsh_completes pcielat "$command" - | sort)
	done
}

@test "fish completes every command and option" {
	command -v fish >/dev/null || skip "fish is not installed"
	diff <(commands | sort) <(fish_completes "pcielat " | sort)
	for command in $(commands); do
		diff <(options_of "$command") <(fish_completes "pcielat $command -" | sort)
	done
}

@test "--gpu N is --device gpuN --probe gpu" {
	said() { pcielat run -n "$@" 2>&1 | grep '^pcielat:'; }
	said --gpu 7 | grep -q 'gpu7'
	[ "$(said --gpu 7)" = "$(said --device gpu7 --probe gpu)" ]
}
