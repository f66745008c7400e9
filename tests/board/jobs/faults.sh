# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: make every fault of faults.board happen and write down what is seen.
SYS=/sys/bus/pci/devices
ALL7=0000:01:00.0 STUCK=0000:02:00.0 LIAR=0000:03:00.0 FAR=0000:06:00.0
UPSTREAM=0000:04:00.0
say() { echo "$*" >> /out/seen; }
lnkctl() { setpci -s "$1" CAP_EXP+10.w; }
l1ss() { setpci -s "$1" ECAP001e+8.l; }
disk() { echo "/dev/$(basename "$(echo "$SYS/$1"/nvme/nvme*/nvme*n1)")"; }
cfg() { # tag, function, gaps...
	export VBPROBE_TAG="$1"
	path=$SYS/$2/config
	shift 2
	"$VB_PROBE" cfg 60 "$path" "$@" >> /out/samples.jsonl
}
nvme() { # tag, function, n, gaps...
	export VBPROBE_TAG="$1"
	path=$(disk "$2") n=$3
	shift 3
	"$VB_PROBE" nvme "$n" "$path" "$@" >> /out/samples.jsonl
}
reads() { # function, sector
	if dd if="$(disk "$1")" of=/dev/null bs=512 skip="$2" count=8 iflag=direct 2>/dev/null; then
		echo ok
	else
		echo failed
	fi
}

# A scheduled fault, two seconds after the job began
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	cfg "later $i" $ALL7 0
	sleep 0.3
done

# The seven files act on registers
for f in clkpm l0s_aspm l1_aspm l1_1_aspm l1_2_aspm l1_1_pcipm l1_2_pcipm; do
	say "start $f $(cat "$SYS/$ALL7/link/$f")"
done
for f in clkpm l1_1_pcipm l1_2_pcipm l1_1_aspm l1_2_aspm l0s_aspm l1_aspm; do
	echo 0 > "$SYS/$ALL7/link/$f"
	say "wrote $f $(lnkctl 00:03.0) $(lnkctl $ALL7) $(l1ss 00:03.0) $(l1ss $ALL7)"
done
vb mark aspm

# Each state has its own exit: L0s alone, then L1.2, L1.1 and L1 as files go off
echo 1 > $SYS/$ALL7/link/l0s_aspm
vb variant l0s
cfg "l0s" $ALL7 5 150
echo 0 > $SYS/$ALL7/link/l0s_aspm
vb variant deep
for f in l1_aspm l1_1_aspm l1_2_aspm; do
	echo 1 > $SYS/$ALL7/link/$f
done
cfg "l1.2" $ALL7 5 150
echo 0 > $SYS/$ALL7/link/l1_2_aspm
cfg "l1.1" $ALL7 5 150
echo 0 > $SYS/$ALL7/link/l1_1_aspm
cfg "l1" $ALL7 5 150
echo 0 > $SYS/$ALL7/link/l1_aspm
vb variant base

# Links that do not do what LnkCtl says
cfg "off" $ALL7 5 150
vb variant always
cfg "always" $ALL7 5 150
echo 1 > $SYS/$ALL7/link/l1_aspm
vb variant base
cfg "on" $ALL7 5 150
vb variant never
cfg "never" $ALL7 5 150
vb variant base
echo 0 > $SYS/$STUCK/link/l1_aspm
say "stuck $(cat $SYS/$STUCK/link/l1_aspm) $(lnkctl 00:04.0) $(lnkctl $STUCK)"
cfg "stuck" $STUCK 5 150
say "liar $(setpci -s 00:05.0 CAP_EXP+c.l)"
cfg "liar" $LIAR 5 150

# Another device keeps the uplink awake
cfg "alone" $FAR 5 400
vb variant neighbor
cfg "neighbor" $FAR 5 400
vb variant base
echo 0 > $SYS/$FAR/link/l1_aspm
cfg "held" $UPSTREAM 5 400

# Drives: power states of their own, stalls, a second exit, errors
nvme "normal" $ALL7 60 5 300
vb variant apst
echo 0 > $SYS/$ALL7/link/l1_aspm
nvme "apst" $ALL7 60 5 300
cfg "apst" $ALL7 5 300
echo 1 > $SYS/$ALL7/link/l1_aspm
vb variant stalls
nvme "stalls" $ALL7 200 0
vb variant base
nvme "a0 off" $ALL7 100 0
vb variant a0
nvme "a0 on" $ALL7 100 0
vb variant base
say "sector 800 $(reads $STUCK 800)"
say "sector 1600 $(reads $STUCK 1600)"
vb fault stall
a=$(cut -d' ' -f1 /proc/uptime)
reads $ALL7 0 > /dev/null
say "stall $a $(cut -d' ' -f1 /proc/uptime)"

# All ones, and back
say "alive $(setpci -s $FAR 0.l)"
vb fault dead
sleep 0.5
say "dead $(setpci -s $FAR 0.l) $(setpci -s $FAR CAP_EXP+10.w 2>&1 | head -1)"
VBPROBE_TAG=dead "$VB_PROBE" bar 20 $SYS/$FAR/resource0 0 >> /out/samples.jsonl
sleep 2.5
say "revived $(setpci -s $FAR 0.l)"
VBPROBE_TAG=revived "$VB_PROBE" bar 20 $SYS/$FAR/resource0 0 >> /out/samples.jsonl

# Gone, and back with its link as firmware leaves it
echo 0 > $SYS/$LIAR/link/l1_aspm
say "before $(lnkctl $LIAR)"
vb fault remove
sleep 1
if [ -e $SYS/$LIAR ]; then
	say "removed no"
else
	say "removed yes"
fi
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -e $SYS/$LIAR/nvme ] && break
	sleep 0.5
done
say "returned $(lnkctl $LIAR) $(reads $LIAR 0)"
dmesg > /out/dmesg
