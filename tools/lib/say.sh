# shellcheck shell=bash
# Messages for people: on stderr, one line each, with the name of the tool before them.
SAY_NAME=${0##*/}

say() {
	printf '%s: %s\n' "$SAY_NAME" "$*" >&2
}

# say_tail LOG: the end of a log that explains a failure.
say_tail() {
	tail -n 40 "$1" >&2
}
