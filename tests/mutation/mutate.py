#!/usr/bin/env python3
"""Breaks the code in one place at a time and runs the tests: each change must make one fail.

mutate.py TABLE BUILD_FOLDER TEST… | the tree is copied to BUILD_FOLDER, nothing here is touched.
"""
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def read_table(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = [f.replace("\\n", "\n").replace("\\t", "\t") for f in line.split("\t")]
            yield fields


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def build(folder, tests):
    done = run(["cmake", "--build", folder / "build", "-j2", "--target", *tests])
    return None if done.returncode == 0 else done.stdout[-2000:]


def first_failure(folder, tests):
    for test in tests:
        try:
            done = run([folder / "build" / "tests" / test], timeout=240)
        except subprocess.TimeoutExpired:
            return f"{test} (hangs)"
        if done.returncode not in (0, 77):
            return test
    return None


def try_one(folder, tests, name, file, old, new):
    target = folder / file
    text = target.read_text()
    if text.count(old) != 1:
        return f"?? the text is there {text.count(old)} times"
    target.write_text(text.replace(old, new))
    broken = build(folder, tests)
    verdict = "?? does not build\n" + broken if broken else first_failure(folder, tests)
    target.write_text(text)
    return verdict


def main():
    table, folder, tests = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    shutil.copytree(TOP, folder, ignore=shutil.ignore_patterns("build", ".git"),
                    dirs_exist_ok=True)
    configure = ["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja",
                 "-DPCIELAT_REPORT_JS=OFF", "-DCMAKE_BUILD_TYPE=Debug"]
    if run(configure).returncode or build(folder, tests):
        sys.exit("the unchanged tree does not build")
    if first_failure(folder, tests):
        sys.exit("the unchanged tree does not pass")
    missed = 0
    for row in read_table(table):
        verdict = try_one(folder, tests, *row)
        missed += verdict is None or verdict.startswith("??")
        print(f"{row[0]}: {verdict or 'NOT CAUGHT'}", flush=True)
    sys.exit(1 if missed else 0)


main()
