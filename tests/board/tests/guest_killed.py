# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 in the middle of a run, ten times at random: the machine is as it was, results are there.

Every third time the guard process is killed too: then the next start puts things back, or
`pcielat restore`. What a dead run left in its folder is whole and `pcielat report` reads it.
"""
from __future__ import annotations

import json
import random
import re
import sys
import unittest

import guest
from vboard import build

PROGRAM = build.REPO / "build/release/pcielat"
KILLS = 10
RUN = f"{PROGRAM} run --slot M.2_2 --slot M.2_3 --probe bar,config --allow-virtual --progress never"

# Link files, power/control, and configuration space: LnkCtl and L1SS of every function.
FUNCTIONS = r"""
look() {
    grep -H . /sys/bus/pci/devices/*/link/* /sys/bus/pci/devices/*/power/control \
        /sys/module/pcie_aspm/parameters/policy
    for f in /sys/bus/pci/devices/*/config; do
        echo "$f"
        od -A d -v -t x2 -N 1024 "$f"
    done
}
processes() {  # of the program, by their command line
    for p in /proc/[0-9]*; do
        tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -q "^$1 " && echo "${p#/proc/}"
    done
}
gone() {  # until no process of the program is left
    for _ in $(seq 100); do [ -z "$(processes "$1")" ] && return 0; sleep 0.1; done
    return 1
}
"""
ONE = """
mkdir /out/{i}
{run} -o /out/{i}/results >/out/{i}/text 2>&1 &
pid=$!
{wait}
sleep {sleep}
{kill}
wait $pid; echo $? >/out/{i}/status
gone {program} || echo stayed >/out/{i}/stayed
[ -e /run/pcielat/journal ] && echo journal >/out/{i}/journal
{repair}
look >/out/{i}/look
[ -e /out/{i}/results/results.json ] && {program} report /out/{i}/results/results.json \
    >/out/{i}/report 2>&1; echo $? >/out/{i}/report_status
"""
UNTIL_SAVED = ("for _ in $(seq 300); do [ -e /out/{i}/results/results.json ] && break; "
               "sleep 0.1; done")


def is_saved(i: int) -> bool:
    """Killed after the first rounds were kept; the others at any time."""
    return i % 2 == 0


def kills_guard(i: int) -> bool:
    return i % 3 == 2


def job(rng: random.Random) -> str:
    text = [FUNCTIONS, "look >/out/before"]
    for i in range(KILLS):
        both = f"kill -9 $(processes {PROGRAM})"
        text.append(ONE.format(
            i=i, run=RUN, program=PROGRAM, wait=UNTIL_SAVED.format(i=i) if is_saved(i) else "true",
            sleep=f"{rng.uniform(0, 1.5) if is_saved(i) else rng.uniform(0.3, 4):.2f}",
            kill=both if kills_guard(i) else "kill -9 $pid",
            repair=f"{PROGRAM} restore >/out/{i}/restore 2>&1" if kills_guard(i) else "true"))
    return "\n".join(text)


class Killed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: build the release preset first")
        seed = random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}")
        cls.r = guest.boot("X670E", job(random.Random(seed)))
        print(f"{cls.r.wall_s:.0f} s")

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def file(self, i: int, name: str):
        return self.r.out / str(i) / name

    def test_each_was_killed(self):
        """137: by the signal; a run that ended before is none of the ten."""
        killed = [i for i in range(KILLS) if self.file(i, "status").read_text().strip() == "137"]
        print(f"killed: {len(killed)} of {KILLS}")
        self.assertEqual(len(killed), KILLS)

    def test_everything_is_as_it_was(self):
        before = (self.r.out / "before").read_text().splitlines()
        self.assertGreater(len(before), 100)
        self.assertTrue(any(line.endswith("/l1_aspm:1") for line in before))
        for i in range(KILLS):
            with self.subTest(i):
                self.assertEqual(self.file(i, "look").read_text().splitlines(), before)
                self.assertFalse(self.file(i, "stayed").exists())

    def test_the_guard_or_the_next_start_did_it(self):
        changed = 0
        for i in range(KILLS):
            if not kills_guard(i):
                self.assertFalse(self.file(i, "journal").exists(), i)
            else:
                changed += self.file(i, "journal").exists()
        print(f"left to the next start: {changed}")

    def test_results_are_there_and_are_read(self):
        for i in range(KILLS):
            path = self.file(i, "results/results.json")
            with self.subTest(i):
                if is_saved(i):
                    self.assertTrue(path.exists())
                if not path.exists():
                    continue
                results = json.loads(path.read_text())
                self.assertFalse(results["session"]["complete"])
                done = [m["blocks"]["done"] for m in results["measurements"]]
                self.assertGreater(max(done), 0)
                self.assertEqual(self.file(i, "report_status").read_text().strip(), "0")
                said = self.file(i, "report").read_text()
                self.assertTrue(re.search("partial|interrupted", said, re.IGNORECASE), said)
                self.assertIn("M.2_3", said)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
