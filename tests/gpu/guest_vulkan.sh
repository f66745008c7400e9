# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Guest job: lavapipe's kernels chase pointers through the BARs, through the tool's own probe.
SYS=/sys/bus/pci/devices
NEAR=$SYS/0000:01:00.0
FAR=$SYS/0000:04:00.0
export VK_DRIVER_FILES="$ICD" VK_ICD_FILENAMES="$ICD" LP_NUM_THREADS=1
export ASAN_OPTIONS=detect_leaks=0 # the driver keeps memory

# series LABEL FOLDER|both|ram SPEC...: one process, its JSON lines with the label, marks around it
series() {
	label=$1
	case $2 in
	ram) at= ;;
	both) at="--memory $NEAR/resource2 --memory $FAR/resource2" ;;
	*) at="--memory $2/resource2" ;;
	esac
	shift 2
	vb mark "$label.before"
	# shellcheck disable=SC2086 # words, not one
	"$GPU_SERIES" $at "$@" 2>> /out/errors | sed "s/^{/{\"label\": \"$label\", /" >> /out/series
	vb mark "$label.after"
}

aspm() { # L0S L1, each 0 or 1
	for d in $NEAR $FAR $SYS/0000:02:00.0; do
		echo "$1" > "$d/link/l0s_aspm"
		echo "$2" > "$d/link/l1_aspm"
	done
}

aspm 0 0
# The first process builds the kernels and fills Mesa's cache.
series warm "$FAR" chase:65536:0:1 load:65536:0:10
for rep in 1 2 3; do
	for v in base small hop; do
		vb variant $v
		series $v.$rep both chase:65536:0:300 load:65536:0:800
	done
done
series hop.ram ram chase:65536:0:2 load:65536:0:400
vb variant base

gaps() { # LABEL FOLDER|ram GAP_NS...
	label=$1 where=$2 specs=
	shift 2
	for gap in "$@"; do
		specs="$specs load_after_gap:65536:$gap:60"
	done
	# shellcheck disable=SC2086 # one argument a series
	series "$label" "$where" $specs
}
gaps off.near "$NEAR" 0 15000 80000
aspm 1 0
cat $NEAR/link/l0s_aspm > /out/l0s
gaps l0s.near "$NEAR" 0 5000 60000
aspm 0 1
cat $NEAR/link/l1_aspm > /out/l1
gaps on.near "$NEAR" 0 15000 80000
# Behind the switch its uplink may sleep only when the link below does: a second step.
gaps on.far "$FAR" 0 15000 45000 150000
gaps on.ram ram 0 15000 80000

aspm 0 0
# The whole tool, with results.json: its loads are counted too.
tool() { # LABEL FOLDER
	vb mark "tool.$1.before"
	"$PCIELAT" run --probe gpu --device gpu0 --quick --allow-virtual \
		--chase-memory "$2/resource2" -o "/out/tool.$1" > "/out/tool.$1.txt" 2>&1
	vb mark "tool.$1.after"
}
vb variant hop
tool far $FAR
aspm 0 1
tool near $NEAR
aspm 0 0

# A kernel whose loop the driver cuts, and a file that is too small, are errors and not numbers.
truncate -s 1000 /tmp/small
"$GPU_SERIES" --memory /tmp/small chase:65536:0:1 2>> /out/refused
"$GPU_SERIES" --memory $SYS/0000:00:03.0/resource0 chase:4096:0:1 2>> /out/refused

# The card is pulled while a kernel chases in it; the other slot goes on.
vb variant base
"$GPU_SERIES" --memory $NEAR/resource2 chase:65536:0:15000 > /out/pulled.series 2> /out/pulled &
sleep 4
vb fault gone
wait $! || echo $? >> /out/pulled
[ -e $NEAR ] && echo "still there" >> /out/pulled
series after.far "$FAR" chase:65536:0:2
true
