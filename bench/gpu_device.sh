#!/usr/bin/env bash
# The GPU probe on a machine with a GPU, without building pcielat there:
#   bench/gpu_device.sh pack DIR    here: the release binaries with the libraries they need, to DIR
#   DIR/gpu_device.sh run OUT       there: measures, results to OUT; needs only the GPU's driver
# "run" prints GPU -> host and VRAM latency, the distribution of single loads, bandwidths,
# CPU -> VRAM and, where nvcc is there, a CUDA chase over pinned host memory as the yardstick,
# with the ratio. The last line is one JSON object.
set -euo pipefail

HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

say() { echo "gpu_device: $*" >&2; }

usage() {
	sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "${BASH_SOURCE[0]}" >&2
	exit 2
}

# Everything but the C library and its loader, which the other machine has.
copy_libraries() {
	local binary=$1 to=$2 path
	ldd "$binary" | awk '/=> \// {print $3}' | while read -r path; do
		case ${path##*/} in
		libc.so.* | libm.so.* | ld-linux* | libpthread.so.* | libdl.so.* | librt.so.*) ;;
		*) cp -Ln "$path" "$to/" ;;
		esac
	done
}

pack() {
	local dir=$1 build=$HERE/../build/release binary
	mkdir -p "$dir/lib"
	for binary in "$build"/{pcielat,bench/gpu_series,bench/gpu_chase}; do
		[ -x "$binary" ] || { say "no $binary: build the release first"; continue; }
		cp "$binary" "$dir/"
		copy_libraries "$binary" "$dir/lib"
	done
	[ -x "$dir/gpu_series" ] || return 1
	# volk opens the loader at run time, so ldd does not show it.
	cp -L "$(ldconfig -p | awk '/libvulkan.so.1 / {print $NF; exit}')" "$dir/lib/"
	cp "$HERE/cuda_chase.cu" "${BASH_SOURCE[0]}" "$dir/"
	say "packed: $(du -sh "$dir" | cut -f1) in $dir"
}

# NVIDIA's containers often have the driver's libraries and not the manifest that names them.
need_driver() {
	local out=$1
	[ -n "${VK_DRIVER_FILES-}" ] && return
	ls /usr/share/vulkan/icd.d/*nvidia* /etc/vulkan/icd.d/*nvidia* > /dev/null 2>&1 && return
	ldconfig -p | grep -q libGLX_nvidia.so.0 || return 0
	cat > "$out/nvidia_icd.json" <<- 'END'
		{"file_format_version": "1.0.0",
		 "ICD": {"library_path": "libGLX_nvidia.so.0", "api_version": "1.3.0"}}
	END
	export VK_DRIVER_FILES=$out/nvidia_icd.json VK_ICD_FILENAMES=$out/nvidia_icd.json
}

# One series at a time: what a device cannot do must not end the rest.
series() {
	local out=$1 spec
	shift
	for spec in "$@"; do
		"$HERE/gpu_series" "$spec" >> "$out/series.jsonl" 2>> "$out/not-measured.txt" ||
			true
	done
	cat "$out/series.jsonl"
	sed 's/^/not measured: /' "$out/not-measured.txt"
}

yardstick() {
	local out=$1 region=$2
	command -v nvcc > /dev/null || { echo null; return; }
	nvcc -O2 -o "$out/cuda_chase" "$HERE/cuda_chase.cu" >&2 &&
		"$out/cuda_chase" "$region" || echo null
}

value_of() { # FILE METRIC MEMORY REGION: the median of that series, or nothing
	grep "\"metric\": \"$2\", \"memory\": \"$3\", \"region_bytes\": $4," "$1" |
		sed -n 's/.*"p50_ns": \([0-9.]*\).*/\1/p' | head -1
}

run() {
	local out=$1 region=$((16 << 20)) host cuda cuda_ns ratio=null
	mkdir -p "$out"
	: > "$out/series.jsonl"
	: > "$out/not-measured.txt"
	export LD_LIBRARY_PATH=$HERE/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	need_driver "$out"
	nvidia-smi > "$out/nvidia-smi.txt" 2>&1 || true
	series "$out" chase:$region:0:20:"host cached" \
		chase:$region:0:20:"host write-combined" \
		chase:65536:0:20:"host cached" chase:$((256 << 20)):0:10:"host cached" \
		chase:$region:0:20:"host huge pages" chase:$region:0:20:vram \
		chase:0:0:20:"on chip" \
		load:$region:0:10000:"host cached" load:$region:0:10000:vram \
		load_after_gap:$region:0:200:"host cached" \
		load_after_gap:$region:100000:200:"host cached" \
		load_after_gap:$region:10000000:20:"host cached" \
		read:65536:0:10:"host cached" read:$region:0:10:"host cached" \
		read:$((256 << 20)):0:10:"host cached" read:$((256 << 20)):0:10:vram \
		copy_to_vram:$((64 << 20)):0:10 copy_from_vram:$((64 << 20)):0:10 \
		cpu_vram_read:4096:0:5000 ping_pong:4096:0:1000:"host cached"
	host=$(value_of "$out/series.jsonl" chase "host cached" $region)
	cuda=$(yardstick "$out" $region)
	cuda_ns=$(sed -n 's/.*"ns_per_load": \([0-9.]*\).*/\1/p' <<< "$cuda")
	[ -z "$host" ] || [ -z "$cuda_ns" ] || ratio=$(awk "BEGIN {print $host / $cuda_ns}")
	printf '{"host_ns": %s, "cuda": %s, "ratio": %s}\n' "${host:-null}" "$cuda" "$ratio"
}

case ${1-} in
pack | run) [ $# -eq 2 ] || usage; "$1" "$2" ;;
*) usage ;;
esac
