#!/usr/bin/env python3
"""What our static libraries define: names begin with pl_, and no folder but cli/ keeps state.

symbols.py FOLDER (searched for libpl_*.a) | symbols.py --selftest
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# objdump -t: value, flags (l/g/u, …, O or F), section, size, name.
SYMBOL = re.compile(
    r"^[0-9a-f]+ (?P<scope>.).{5}(?P<kind>.) (?P<section>\S+)\t(?P<size>[0-9a-f]+)\s+"
    r"(?:\.hidden )?(?P<name>\S+)$",
    re.M,
)
STATE = re.compile(r"\.(t?data|t?bss)$|\.(t?data|t?bss)\.(?!rel\.ro)|\*COM\*$")
SANITIZER = re.compile(r"_?_?(asan|odr_asan|ubsan|sanitizer)|\.L|\.|__odr|_sub_|__sancov")
# volk is a header that one of our files turns into code.
VOLK = re.compile(r"(vk|volk)[A-Z]|loaded(Instance|Device)$")


def symbols(library):
    dump = ["objdump", "-t", str(library)]
    return SYMBOL.finditer(subprocess.run(dump, check=True, capture_output=True, text=True).stdout)


def findings(library):
    for symbol in symbols(library):
        name, section = symbol["name"], symbol["section"]
        if section == "*UND*" or symbol["kind"] not in "OF" or SANITIZER.match(name):
            continue
        if library.name == "libpl_gpu_probe.a" and VOLK.match(name):
            continue
        if symbol["scope"] in "gu!" and not name.startswith("pl_"):
            yield f"{library.name}: {name} is exported and does not begin with pl_"
        is_state = STATE.match(section) and int(symbol["size"], 16)
        if is_state and library.name != "libpl_cli_lib.a":
            yield f"{library.name}: {name} is state that outlives a call: pass it as an argument"


def selftest():
    samples = {
        "int pl_f(void); int pl_f(void) { return 1; }": 0,
        'static const char *const t[] = {"a"};'
        "const char *pl_g(int i); const char *pl_g(int i) { return t[i]; }": 0,
        "int f(void); int f(void) { return 1; }": 1,
        "static int n; int pl_f(void); int pl_f(void) { return n++; }": 1,
        "int pl_n = 3;": 1,
        "int pl_f(void); int pl_f(void) { static int n = 2; return n++; }": 1,
    }
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for text, expected in samples.items():
            for flags in ([], ["-fsanitize=address,undefined"]):
                path = Path(folder) / "libpl_core.a"
                path.unlink(missing_ok=True)
                cc = ["cc", "-c", "-g", *flags, "-o", f"{folder}/x.o", "-x", "c", "-"]
                subprocess.run(cc, input=text, text=True, check=True)
                subprocess.run(["ar", "rc", path, f"{folder}/x.o"], check=True)
                found = list(findings(path))
                if len(found) != expected:
                    wrong += 1
                    print(f"expected {expected}: {text}\n  {found}")
    print(f"{len(samples)} samples, {wrong} wrong")
    return wrong


def main(argument):
    if argument == "--selftest":
        return 1 if selftest() else 0
    libraries = sorted(Path(argument).rglob("libpl_*.a"))
    if not libraries:
        print(f"no libpl_*.a in {os.path.relpath(argument)}")
        return 1
    found = [line for library in libraries for line in findings(library)]
    print(*found[:40], sep="\n")
    print(f"{len(found)} findings in {len(libraries)} libraries")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
