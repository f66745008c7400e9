#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bench/nvme_vs_fio works: all modes, drives and tools give rows, both tools complete their reads
in the same way, nothing is written, a missing fio is said. No latency is judged.
guest_bench_fio.py BUILD_FOLDER
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BENCH = TOP / "bench/nvme_vs_fio"
MODES = {"polled": ("io_uring-iopoll", "io_uring hipri"), "sleeping": ("io_uring-wait", "io_uring"),
         "blocking": ("pread", "psync")}
DRIVES = ("0 us", "50 us", "200 us", "all")
TOOLS = ("ours", "fio")
BUILD: list[str] = []


def run(*options: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, BENCH, "--build", BUILD[0], *options],
                          capture_output=True, text=True, check=False, **more)


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = run("--rounds", "1", "--reads", "150", "--turns", "8")
        cls.rc, cls.text = done.returncode, done.stdout + done.stderr
        try:
            cls.result = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            cls.result = None

    def setUp(self):
        self.assertEqual(self.rc, 0, self.text)
        self.assertIsNotNone(self.result, self.text)

    def assert_interval(self, row: dict, low: str, high: str):
        """An interval around the estimate, or the reason why there is none."""
        if row[low] is None or row[high] is None:
            self.assertTrue(row.get("why"), row)
        else:
            self.assertLessEqual(row[low], row[high], row)

    def test_every_mode_and_drive_has_a_row(self):
        rows = {(r["mode"], r["drive"]): r for r in self.result["ratios"]}
        self.assertEqual(set(rows), {(m, d) for m in MODES for d in DRIVES})
        for (_, drive), row in rows.items():
            self.assert_interval(row, "ci95_low", "ci95_high")
            if drive != "all":
                for tool in TOOLS:
                    self.assertIsInstance(row[f"{tool}_excess_ns"], int, row)

    def test_known_answers(self):
        rows = {(r["mode"], r["known_ns"], r["tool"]): r for r in self.result["answers"]}
        want = {("polled", 50000), ("polled", 200000), ("sleeping", 150000), ("blocking", 150000)}
        self.assertEqual(set(rows), {(m, k, t) for m, k in want for t in TOOLS})
        for row in rows.values():
            self.assert_interval(row, "ci95_low_ns", "ci95_high_ns")
            self.assertEqual(row["rounds"], 1)
            self.assertIsNone(row["ci95_low_ns"], "one round has no interval")

    def test_both_tools_complete_alike(self):
        rows = {r["mode"]: r for r in self.result["completion"]}
        self.assertEqual(set(rows), set(MODES))
        for mode, row in rows.items():
            print(row)
            self.assertEqual(tuple(row[f"{tool}_path"] for tool in TOOLS), MODES[mode])
            for tool in TOOLS:
                # Starting a tool sleeps too: what the mode adds to that of the polled one.
                got = (row[f"{tool}_interrupts_per_read"],
                       row[f"{tool}_sleeps_per_read"] - rows["polled"][f"{tool}_sleeps_per_read"])
                with self.subTest(f"{mode}: {tool}"):
                    for per_read in got:
                        if mode == "polled":
                            self.assertLess(per_read, 0.5)
                        else:
                            self.assertGreater(per_read, 0.5)

    def test_nothing_is_written(self):
        self.assertEqual(self.result["writes"], 0)

    def test_instructions_are_counted(self):
        counted = self.result["instructions_per_read"]
        self.assertGreater(counted["ours"], 0)
        self.assertGreater(counted["fio"], counted["ours"])

    def test_without_fio(self):
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("valgrind",):
                os.symlink(shutil.which(tool), Path(folder) / tool)
            done = run(env={"PATH": folder})
        self.assertEqual(done.returncode, 77)
        self.assertIn("fio is missing: apt-get install fio", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    BUILD.append(sys.argv.pop(1))
    for program in ("fio", "valgrind"):
        if not shutil.which(program):
            sys.exit(f"guest_bench_fio: {program} is missing: apt-get install {program}")
    unittest.main()
