# shellcheck shell=bash
# bash completion for pcielat. Commands, options and their values are read from the program's own
# --help, so there is no second list of them.

_pcielat_commands() {
	"$1" --help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'
}

# _pcielat_options PROGRAM [COMMAND]: the long options, with '=' before a value.
_pcielat_options() {
	"$@" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*(=|\[=)?' | sed 's/\[=$//' | sort -u
}

# _pcielat_values OPTION PROGRAM [COMMAND]: the words of "--option=one|two".
_pcielat_values() {
	local option=$1
	shift
	"$@" --help 2>/dev/null | sed -n "s/.*$option=\([a-z]*|[a-z|]*\).*/\1/p" | tr '|' '\n'
}

_pcielat_devices() {
	ls /sys/bus/pci/devices 2>/dev/null
}

# _pcielat_value WORD PROGRAM [COMMAND]: what may follow the = of WORD (which bash has split off).
_pcielat_value() {
	local option=${1%%=*} word=${1#*=}
	shift
	case $option in
	--sysroot | --output) compgen -d -- "$word" ;;
	--device | --slot) compgen -W "$(_pcielat_devices)" -- "$word" ;;
	*) compgen -W "$(_pcielat_values "$option" "$@")" -- "$word" || compgen -f -- "$word" ;;
	esac
}

_pcielat() {
	local line=${COMP_LINE:0:COMP_POINT} word=
	local -a words call=("${COMP_WORDS[0]}")
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] || word=${words[-1]}
	[[ ${words[1]-} == [a-z]* && ${words[1]} != "$word" ]] && call+=("${words[1]}")
	case $word in
	--*=*) mapfile -t COMPREPLY < <(_pcielat_value "$word" "${call[@]}") ;;
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$(_pcielat_options "${call[@]}")" -- "$word")
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
		;;
	*)
		local choices=_pcielat_devices
		[ ${#call[@]} -eq 2 ] || choices=_pcielat_commands
		mapfile -t COMPREPLY < <(compgen -W "$($choices "${call[0]}")" -- "$word")
		;;
	esac
}
complete -F _pcielat pcielat
