#!/usr/bin/env python3
"""The compiler gate: what RADV makes of the kernels on four families of AMD GPUs, without a GPU.

The timing kernels are right only if the compiler keeps three things:
  1. every load from the chain is a vector load: a scalar one is served by the scalar cache;
  2. it bypasses the caches near the core (glc): the volatile qualifier reached the machine code;
  3. between a load and the second read of the clock stands the wait for that load, and between the
     first read and the load no other fetch (a descriptor, for example).
Volatile and the lane term each make the load a vector load; each kernel is built three times,
as shipped and with one of them taken away, so that neither can get lost unnoticed.

isa_gate.py --compile PROGRAM --shaders DIR --icd FILE   the gate; exit code 1 when it fails
isa_gate.py … --self-test               breaks the kernels in copies: the gate must fail
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

FAMILIES = ("polaris10", "vega10", "navi21", "gfx1100")
LOCAL_SIZE = "64"
SUBGROUP = ("-DPL_LOAD_SUBGROUP=1", "-DPL_GAP_SUBGROUP=1")

# kernel: (source, defines, least number of loads from the chain, is it timed by the shader clock)
KERNELS = {
    "chase": ("chase.comp", (), 17, False),
    "load_device": ("load.comp", (), 2, True),
    "load_subgroup": ("load.comp", SUBGROUP, 2, True),
    "gap_device": ("gap.comp", (), 4, True),
    "gap_mixed": ("gap.comp", SUBGROUP[:1], 4, True),
    "gap_subgroup": ("gap.comp", SUBGROUP, 4, True),
    "pong": ("pong.comp", (), 16, False),
}
VARIANTS = {
    "as shipped": (),
    "without the lane term": ("-DPL_LANE_TERM=0u",),
    "without volatile": ("-DPL_VOLATILE=",),
}

SCALAR_LOAD = re.compile(r"\s(s_buffer_load_\w+)")
SCALAR_FETCH = re.compile(r"\s(s_load_\w+|s_buffer_load_\w+)")
VECTOR_LOAD = re.compile(r"\s((?:buffer|global|flat)_load_\w+)(.*)")
CLOCK = re.compile(
    r"\s(s_memtime|s_memrealtime|s_getreg_b32 .*SHADER_CYCLES|s_sendmsg_rtn_b64 .*)"
)
WAIT = re.compile(r"\ss_waitcnt\b.*vmcnt\(0\)")
BRANCH = re.compile(r"\s(s_c?branch\w*)\s+BB(\d+)")


def build(shaders, source, defines, out):
    subprocess.run(
        ["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.1", "-g0", "-l", *defines,
         "-o", out, os.path.join(shaders, source)],
        check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["spirv-val", "--target-env", "vulkan1.1", out], check=True)


def disassemble(args, files, family):
    """The machine code of each file, as lines between "disasm:" and the end of the program."""
    environment = dict(os.environ, VK_DRIVER_FILES=args.icd, VK_ICD_FILENAMES=args.icd,
                       RADV_FORCE_FAMILY=family, RADV_DEBUG="shaders,nocache",
                       ASAN_OPTIONS="detect_leaks=0")
    environment.pop("VK_INSTANCE_LAYERS", None)
    done = subprocess.run([args.compile, LOCAL_SIZE, *files], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    parts = done.stdout.split("PIPELINE ")[1:]
    if done.returncode or len(parts) != len(files) or not all("disasm:" in p for p in parts):
        sys.exit(f"{family}: no machine code (exit code {done.returncode})\n{done.stdout[-500:]}")
    return [part.split("disasm:", 1)[1].split("s_endpgm", 1)[0].splitlines() for part in parts]


def loops(code):
    """The line ranges of loops: from the target of a backward branch to that branch."""
    labels = {}
    for number, line in enumerate(code):
        if re.match(r"BB\d+:", line):
            labels[line.split(":")[0][2:]] = number
        branch = BRANCH.search(line)
        if branch and branch[2] in labels:
            yield labels[branch[2]], number


def find_scalar(code):
    for line in code:
        scalar = SCALAR_LOAD.search(line)
        if scalar:
            yield f"a scalar load from a buffer: {scalar[1]}"
    for first, last in loops(code):
        for line in code[first:last]:
            fetch = SCALAR_FETCH.search(line)
            if fetch:
                yield f"a fetch through the scalar cache in a loop: {fetch[1]}"


def find_cached(code, least):
    loads = [m for m in map(VECTOR_LOAD.search, code) if m]
    if len(loads) < least:
        yield f"{len(loads)} loads from the chain instead of at least {least}"
    for load in loads:
        if "glc" not in load[2]:
            yield f"a load that caches may serve: {load[1]}{load[2].split(';')[0]}"


def find_early_clock(code):
    """Walks the listing: a clock must not be read while a load is under way."""
    pending = clock_seen = False
    timed = 0
    for line in code:
        if VECTOR_LOAD.search(line):
            pending = True
        elif WAIT.search(line):
            pending = False
        elif CLOCK.search(line):
            if pending:
                yield "the clock is read before the wait for the load"
            timed += clock_seen
            clock_seen = True
    if timed < 2:
        yield "the kernel does not read the clock twice"


def complaints(code, variant, kernel):
    _, _, least, is_timed = KERNELS[kernel]
    yield from find_scalar(code)
    if variant != "without volatile":
        yield from find_cached(code, least)
    if is_timed:
        yield from find_early_clock(code)


def gate(args, shaders, kernels=tuple(KERNELS), families=FAMILIES):
    """All complaints about these kernels, one line each."""
    forms = [(kernel, variant) for kernel in kernels for variant in VARIANTS]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f"{number}.spv") for number in range(len(forms))]
        for file, (kernel, variant) in zip(files, forms):
            source, defines, _, _ = KERNELS[kernel]
            build(shaders, source, (*defines, *VARIANTS[variant]), file)
        for family in families:
            for (kernel, variant), code in zip(forms, disassemble(args, files, family)):
                found += [f"{kernel}, {variant}, {family}: {text}"
                          for text in sorted(set(complaints(code, variant, kernel)))]
    return found


# What must not pass: a change of one source, and the kernel that shows it.
MUTANTS = (
    ("volatile removed", "chase.comp", "PL_VOLATILE buffer", "buffer", "chase"),
    ("lane term removed", "chase.comp", " + PL_LANE_TERM", "", "chase"),
    ("volatile and lane term removed", "load.comp", "PL_VOLATILE buffer", "readonly buffer",
     "load_subgroup"),
    ("lane term removed", "gap.comp", " + PL_LANE_TERM", "", "gap_mixed"),
    ("no branch on the loaded value", "load.comp",
     "\t\tif (q == 0xffffffffu)\n\t\t\tbreak;\n", "", "load_subgroup"),
    ("no branch on the loaded value", "gap.comp",
     "\t\tif (r == 0xffffffffu)\n\t\t\tbreak;\n", "", "gap_device"),
    ("no load before the loop", "load.comp", "\tp = chain[p];", "\t;", "load_device"),
)


def self_test(args):
    passed = 0
    for name, source, old, new, kernel in MUTANTS:
        with tempfile.TemporaryDirectory() as folder:
            shaders = os.path.join(folder, "shaders")
            shutil.copytree(args.shaders, shaders)
            path = os.path.join(shaders, source)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if old not in text:
                sys.exit(f"{source}: \"{old.strip()}\" is not there to be removed")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            found = gate(args, shaders, (kernel,), ("vega10", "navi21"))
        print(f"{source}, {name}: {found[0] if found else 'NOT NOTICED'}")
        passed += bool(found)
    return passed == len(MUTANTS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compile", required=True, help="the program compile_pipeline")
    parser.add_argument("--shaders", required=True)
    parser.add_argument("--icd", required=True, help="RADV's manifest")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()

    if not os.path.exists(args.icd):
        print("RADV is not installed (mesa-vulkan-drivers)")
        return 77
    if args.self_test:
        return 0 if self_test(args) else 1
    found = gate(args, args.shaders)
    print("\n".join(found) if found else
          f"{len(KERNELS)} kernels, {len(VARIANTS)} forms, {len(FAMILIES)} families: all loads are "
          "uncached vector loads, every clock stands after its wait")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
