# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: probe both drives of selftest.board while one knob turns at a time.
# Every repetition visits all variants; those with no injection come twice, so
# that each effect has its off-against-off floor from the same minute.
: "${VB_REPS:=4}" "${VB_N:=200}" "${VB_KINDS:=bar cfg nvme}"
NEAR=0000:01:00.0 FAR=0000:04:00.0
UPSTREAM=0000:02:00.0
SYS=/sys/bus/pci/devices

target() { # kind, function
	case $1 in
	bar) echo "$SYS/$2/resource0" ;;
	cfg) echo "$SYS/$2/config" ;;
	nvme) echo "/dev/$(basename "$(echo "$SYS/$2"/nvme/nvme*/nvme*n1)")" ;;
	esac
}

l1() { # 0 or 1
	for d in $NEAR $FAR $UPSTREAM; do
		echo "$1" > "$SYS/$d/link/l1_aspm"
		echo 0 > "$SYS/$d/link/l0s_aspm"
	done
}

probe() { # variant, state, kind, places, gaps...
	export VBPROBE_TAG="$1 $2 $rep"
	kind=$3
	paths=
	for place in $(echo "$4" | tr , ' '); do
		f=$FAR
		[ "$place" = near ] && f=$NEAR
		paths=$paths,$(target "$kind" "$f")
	done
	shift 4
	"$VB_PROBE" "$kind" "$VB_N" "${paths#,}" "$@" >> /out/samples.jsonl
}

hops() { # kind
	for v in zero h5 h20 h50 zero; do
		vb variant $v
		probe $v off "$1" near,far 0
	done
}

# The gap below the entry timer is the other half of each pair.
exits() { # kind
	for v in e10 e30 e100; do
		vb variant $v
		for state in off L1 off; do
			if [ $state = L1 ]; then
				l1 1
			else
				l1 0
			fi
			probe $v $state "$1" near 5 150
		done
	done
	l1 0
}

for rep in $(seq "$VB_REPS"); do
	for kind in $VB_KINDS; do
		l1 0
		hops "$kind"
		exits "$kind"
	done
done
