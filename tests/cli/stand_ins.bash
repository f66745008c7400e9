# shellcheck shell=bash disable=SC2154 # BATS_… come from bats
# A copy of the checkout's tools with stand-ins for the programs they call.

# copied_checkout: $top, with the folder $bin of stand-ins first in PATH; $calls is where they write
# what they were called with, $installed the list of packages that dpkg-query knows.
copied_checkout() {
	top=$BATS_TEST_TMPDIR/"a checkout"
	bin=$BATS_TEST_TMPDIR/bin
	export calls=$BATS_TEST_TMPDIR/calls installed=$BATS_TEST_TMPDIR/installed
	mkdir -p "$top" "$bin"
	cp -r "$BATS_TEST_DIRNAME/../../tools" "$top"
	: >"$calls"
	PATH=$bin:$PATH
	stand_in dpkg-query <<'EOF'
for package; do case $package in -*) ;; *) grep -qx "$package" "$installed" &&
	echo "$package installed" ;; esac; done
EOF
}

# stand_in NAME <script: a command that comes before the real one.
stand_in() {
	{ echo '#!/bin/bash' && cat; } >"$bin/$1"
	chmod +x "$bin/$1"
}

# open_to_all: lets another user into this test's folder.
open_to_all() {
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}"
}

# user_is UID: what `id -u` answers.
user_is() {
	stand_in id <<<"echo $1"
}
