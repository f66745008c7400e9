# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: a kernel told to leave ASPM alone.
config=/sys/bus/pci/devices/0000:01:00.0/config
ls /sys/bus/pci/devices/0000:01:00.0/link > /out/files
setpci -s 01:00.0 CAP_EXP+10.w > /out/lnkctl
cat /sys/module/pcie_aspm/parameters/policy > /out/policy
for rep in 1 2 3; do
	export VBPROBE_TAG=$rep
	"$VB_PROBE" cfg 100 "$config" 5 150 >> /out/samples.jsonl
done
