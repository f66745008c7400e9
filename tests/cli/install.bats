#!/usr/bin/env bats
# cmake --install and the Debian package put everything where it is looked for.
bats_require_minimum_version 1.5.0

setup() {
	[ -n "${PCIELAT-}" ] || skip "the program is not built"
	build=$(dirname "$PCIELAT")
	root=$BATS_TEST_TMPDIR/root
}

has_everything() {
	local share=$1/share
	[ -x "$1/bin/pcielat" ]
	[ -s "$share/bash-completion/completions/pcielat" ]
	[ -s "$share/zsh/vendor-completions/_pcielat" ]
	[ -s "$share/fish/vendor_completions.d/pcielat.fish" ]
	[ -s "$share/doc/pcielat/copyright" ]
	zcat "$share/man/man1/pcielat.1.gz" | grep -q '^\.TH "pcielat" "1"'
	zcat "$share/man/man5/pcielat-result.5.gz" | grep -q '^\.TH "pcielat-result" "5"'
}

@test "cmake --install" {
	cmake --install "$build" --prefix "$root" >"$BATS_TEST_TMPDIR/log"
	has_everything "$root"
	run "$root/bin/pcielat" --version
	[ "$status" -eq 0 ]
	[[ $output == pcielat\ [0-9]* ]]
}

@test "nothing of the installation points into the source or the build folder" {
	cmake --install "$build" --prefix "$root" >"$BATS_TEST_TMPDIR/log"
	run grep -rlF "$(cd "$BATS_TEST_DIRNAME/../.." && pwd)" "$root/share"
	[ "$status" -eq 1 ]
	run readelf -d "$root/bin/pcielat"
	[[ $output != *RPATH* && $output != *RUNPATH* ]]
}

@test "the Debian package" {
	command -v dpkg-shlibdeps >/dev/null || skip "dpkg-dev is not installed"
	cpack --config "$build/CPackConfig.cmake" -B "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/log"
	deb=("$BATS_TEST_TMPDIR"/pcielat_*.deb)
	dpkg-deb -x "${deb[0]}" "$root"
	has_everything "$root/usr"
	[ "$(dpkg-deb -f "${deb[0]}" Section)" = utils ]
	[[ $(dpkg-deb -f "${deb[0]}" Depends) == *libc6*libpci3* ]]
}
