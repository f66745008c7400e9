#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The first reads after idle time, in the guest: guest_bursts.py PCIELAT

Behind a link that sleeps the first read pays the exit that the board drew, and the second does not;
behind a link that cannot sleep neither does. Every sample is where samples.bin says it is, and a
report made again from results.json alone says the same. What the link of a drive may do is what the
kernel's own files say.
"""
import json
import statistics
import struct
import subprocess
import sys
from pathlib import Path

import booted
import attempts
import board_truth

READS = 16
EMULATION_NS = 2000  # how alike two reads of the emulated drive are
FILES = {"l1": "l1_aspm", "l1_1": "l1_1_aspm", "l1_2": "l1_2_aspm", "clock_pm": "clkpm"}
JOB = """
for d in /sys/bus/pci/devices/*/nvme; do
	d=${{d%/nvme}}
	for f in {files}; do echo ${{d##*/}} $f $(cat $d/link/$f 2> /dev/null || echo none); done
done > /out/kernel
{pcielat} run --slot M.2_1 --slot M.2_2 --probe nvme --gap 400us --allow-virtual --progress never \\
	-o /out/run > /out/text 2>&1
echo $? > /out/rc
"""
DONE = ("0", "8")  # 8: done, some results marked as doubtful, as on a busy host
PROGRAM: list[str] = []


def ticks(out: Path, series: dict) -> list[int]:
    """Every sample of a series, as docs/formats.md says."""
    place = series["samples"]
    size = place["element_bytes"]
    data = (out / "samples.bin").read_bytes()
    raw = data[place["offset_bytes"]:place["offset_bytes"] + place["count"] * size]
    return list(struct.unpack(f"<{place['count']}{'IQ'[size // 8]}", raw))


class Bursts(booted.Booted):
    board = "bursts.board"
    timeout_s = 250

    @classmethod
    def job(cls):
        return JOB.format(pcielat=PROGRAM[0], files=" ".join(FILES.values()))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_dir = cls.out / "run"
        cls.results = json.loads((cls.run_dir / "results.json").read_text())
        cls.bursts = [drive["bursts"][0] for drive in cls.results["drives"] if drive["bursts"]]
        cls.exit_ns = board_truth.link(cls.truth, "port0")["l1_exit_ns"]

    def series(self, burst: dict) -> dict:
        return next(m for m in self.results["measurements"] if m["id"] == burst["measurement"])

    def test_the_run_ends_well_and_writes_nothing(self):
        self.assert_boot_and_no_write()
        self.assertIn(self.text("rc").strip(), DONE)

    def test_one_burst_series_per_drive_as_found(self):
        self.assertEqual([len(d["bursts"]) for d in self.results["drives"]], [1, 1, 0])
        for burst in self.bursts:
            self.assertEqual((burst["state"], burst["gap_ns"], burst["reads"]),
                             ("as_found", 400000, READS))
            self.assertEqual([row[0] for row in burst["rows"]], list(range(1, READS + 1)))

    def test_samples_are_where_they_are_said_to_be(self):
        for burst in self.bursts:
            series = self.series(burst)
            all_ticks = ticks(self.run_dir, series)
            starts = series["samples"]["block_start"]
            for place, row in enumerate(burst["rows"]):
                mine = [t for a, b in zip(starts, starts[1:]) for t in all_ticks[a + place:b:READS]]
                p50_ns = statistics.median_low(mine) * series["samples"]["ns_per_tick"]
                self.assertAlmostEqual(p50_ns, row[1], delta=0.001)

    def test_no_claim_is_made_of_them(self):
        self.assertNotIn("read_4k_burst", {e["metric"] for e in self.results["effects"]})

    def test_a_report_made_again_says_the_same(self):
        alone = self.out / "alone"
        alone.mkdir()
        (alone / "results.json").write_bytes((self.run_dir / "results.json").read_bytes())
        again = subprocess.run([PROGRAM[0], "report", alone / "results.json", "--json=-"],
                               check=True, capture_output=True, text=True)
        for drive, was in zip(json.loads(again.stdout)["drives"], self.results["drives"]):
            self.assertEqual(drive["bursts"], was["bursts"])

    def test_the_power_management_of_the_link_is_what_the_kernel_says(self):
        words = [line.split() for line in self.text("kernel").splitlines()]
        kernel = {(bdf, name): value for bdf, name, value in words}
        seen = set()
        for drive in self.results["drives"]:
            power = drive["link_power"]
            self.assertIsNone(power["reason"])
            self.assertEqual(power["coupling"]["status"], "not_measured")
            for key, name in FILES.items():
                value = kernel[drive["bdf"], name]
                if value == "none":
                    continue
                with self.subTest(f"{drive['bdf']} {key}"):
                    self.assertEqual(power[key]["enabled"], value == "1")
                    seen.add((key, value))
        for key in ("l1_1", "l1_2", "clock_pm"):
            self.assertLessEqual({(key, "0"), (key, "1")}, seen, "on at one drive, off at another")

    def check(self, row: list, truth_ns: float, floor_ns: float) -> None:
        """By the tool's own interval, and what a read after idle time costs without any link."""
        _, _, _, over, low, high = row
        slack = floor_ns + 0.1 * truth_ns + EMULATION_NS
        self.assertTrue(low - slack <= truth_ns <= high + slack, f"{truth_ns} ns: {row}")
        self.assertLess((high - low) / 2, 0.25 * self.exit_ns, row)
        print(f"read {row[0]}: true {truth_ns / 1e3:.1f} us, {over / 1e3:.1f} us "
              f"({low / 1e3:.1f} to {high / 1e3:.1f}), floor {floor_ns / 1e3:.1f} us")

    @attempts.measured
    def test_the_first_read_pays_the_exit_and_the_second_does_not(self):
        sleeps, awake = self.bursts
        floor_ns = abs(awake["rows"][0][3])
        self.assertLess(floor_ns, 0.25 * self.exit_ns, "the host alone costs that much")
        self.check(sleeps["rows"][0], self.exit_ns, floor_ns)
        for row in sleeps["rows"][1:3]:
            self.check(row, 0.0, floor_ns)

    @attempts.measured
    def test_it_is_said_how_many_reads_it_takes(self):
        sleeps, _ = self.bursts
        print(*(b["sentence"] for b in self.bursts), sep="\n")
        if sleeps["status"] == "resolved":
            self.assertGreaterEqual(sleeps["back_after_low"], 1)
        else:
            self.assertEqual(sleeps["status"], "not_resolved")


if __name__ == "__main__":
    PROGRAM.append(sys.argv.pop())
    sys.exit(attempts.main())
