# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: chase pointers through both BARs, three times, interleaved.
SYS=/sys/bus/pci/devices
for rep in 1 2 3; do
	for v in base h5 h20; do
		vb variant $v
		for place in near far; do
			[ $place = near ] && f=0000:01:00.0 || f=0000:04:00.0
			result=$("$VB_CHASE" "$SYS/$f/resource2" 65536 64 2000)
			echo "$v $place $rep $result" >> /out/chase
		done
	done
done
vb variant h20
vb mark jit
"$VB_CHASE" $SYS/0000:04:00.0/resource2 65536 64 3000 jit > /out/jit
vb mark counted
"$VB_CHASE" $SYS/0000:04:00.0/resource2 16777216 65536 5000 > /out/last
vb mark after
