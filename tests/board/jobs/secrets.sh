# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: as root, look everywhere a drawn value could be read.
mkdir /out/loot
cat /proc/cmdline > /out/loot/cmdline
dmesg > /out/loot/dmesg
cat /sys/firmware/dmi/tables/DMI > /out/loot/dmi
for d in /sys/bus/pci/devices/*; do
	cat "$d/config" > "/out/loot/config-${d##*/}"
	if grep -q 0x1af4 "$d/vendor" && grep -q 0x1110 "$d/device"; then
		python3 -c 'import mmap, os, sys
size = os.path.getsize(sys.argv[1])
page = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), size, prot=mmap.PROT_READ)
open(sys.argv[2], "wb").write(page[:])' "$d/resource2" "/out/loot/page-${d##*/}"
	fi
done
# The host's root as process 2 sees it, outside this one's root folder
host=/proc/2/root/host
ls $host/etc/passwd > /out/root 2>&1
for f in proc proc/self proc/1/cmdline sys dev/shm; do
	ls "$host/$f" > /out/ls 2>&1 && echo "$f readable" >> /out/reached
done
# The launcher's own folder, as far as it has names
cp /tmp/vboard-*/slot* /out/loot/ 2> /dev/null
