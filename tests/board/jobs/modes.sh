# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: configuration reads of both offset classes on B650, links awake.
SYS=/sys/bus/pci/devices
for f in "$SYS"/*/link/l1_aspm "$SYS"/*/link/l0s_aspm; do
	echo 0 > "$f"
done
vb mark quiet
paths=
for f in 00:02.1 05:00.0 06:00.0 07:00.0; do
	paths=$paths,$SYS/0000:$f/config
done
for rep in 1 2 3; do
	for kind in cfg cfg0; do
		export VBPROBE_TAG=$rep
		"$VB_PROBE" $kind 150 "${paths#,}" 0 >> /out/samples.jsonl
	done
done
