# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: what the kernel found, one line a function, and every link file.
for d in /sys/bus/pci/devices/*; do
	b=${d##*/}
	echo "function $b $(cut -c3- "$d/vendor"):$(cut -c3- "$d/device") $(cat "$d/class")"
	for f in "$d"/link/*; do
		[ -e "$f" ] && echo "link $b ${f##*/} $(cat "$f")"
	done
done > /out/inventory
for n in /sys/class/nvme/nvme*; do
	[ -e "$n" ] && echo "drive $(basename "$(readlink -f "$n/device")") $(cat "$n/state")"
done >> /out/inventory
lspci -tv > /out/tree
dmesg > /out/dmesg
cat /sys/firmware/dmi/tables/DMI > /out/dmi
