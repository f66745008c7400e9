#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pcielat run while a drive fails: what was measured is marked, no failed read is in a statistic,
nothing is written, and the other slot is measured in full. guest_nvme_faults.py PCIELAT
"""
import json
import sys

import booted
import attempts

# Slot, and what is done to its drive (at $bdf) once the run has read it some hundred times.
CASES = {
    "BAD": ":",
    # One read each; those that hit a warm-up are not seen.
    "STALLS": "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do vb fault stall; sleep 0.1; done",
    "RESETS": "echo 1 > $(ls -d /sys/bus/pci/devices/$bdf/nvme/nvme*)/reset_controller",
    "ONES": "vb fault ones",
    "UNBOUND": "echo $bdf > /sys/bus/pci/drivers/nvme/unbind",
    "PULLED": "vb fault pull",
}
JOB = """
try() {{ # SLOT BDF COMMAND
	bdf=$2
	disk=$(basename /sys/bus/pci/devices/$bdf/nvme/nvme*/nvme*n1)
	reads() {{ awk '{{ print $1 }}' /sys/block/$disk/stat 2> /dev/null || echo 0; }}
	before=$(reads)
	{pcielat} run --slot WELL --slot $1 --probe bar --probe nvme --no-gaps --quick \\
		--allow-virtual --progress never -o /out/$1 > /out/$1.txt 2>&1 &
	run=$!
	while [ $(($(reads) - before)) -lt 800 ] && kill -0 $run 2> /dev/null; do sleep 0.1; done
	eval "$3"
	wait $run
	echo $? > /out/$1.rc
}}
{tries}
:
"""
GIVEN_UP = ("ONES", "PULLED")  # gone for the registers too: the slot ends there, said once
PROGRAM: list[str] = []


class Faults(booted.Booted):
    board = "faults.board"
    timeout_s = 400

    @classmethod
    def job(cls):
        tries = "\n".join(f"try {slot} 0000:{number + 2:02x}:00.0 '{command}'"
                          for number, (slot, command) in enumerate(CASES.items()))
        return JOB.format(pcielat=PROGRAM[0], tries=tries)

    def series(self, case: str, slot: str) -> list[dict]:
        record = json.loads((self.out / case / "results.json").read_text())
        keys = [s["key"] for s in record["slots"] if s["label"] == slot]
        found = [m for m in record["measurements"] if m["slot"] in keys]
        self.assertTrue(found, f"{case}: no series of {slot}")
        return found

    def rc(self, case: str) -> int:
        return int(self.text(f"{case}.rc"))

    def assert_marked(self, case: str):
        """Every series of the victim that lost something says so, and the run ends with 8."""
        said = self.text(f"{case}.txt")
        self.assertEqual(self.rc(case), 8, said)
        mine = self.series(case, case)
        hurt = [m for m in mine if m["outcome"] in ("partial", "failed")]
        self.assertTrue(hurt, [(m["metric"], m["outcome"], m["reason"]) for m in mine])
        for m in hurt:
            self.assertTrue(m["reason"], m["metric"])
            self.assertFalse(m["valid"], m["metric"])
        print(f"{case}: {hurt[0]['metric']} {hurt[0]['outcome']}: {hurt[0]['reason']}")

    def test_boot_and_no_write(self):
        self.assert_boot_and_no_write()

    def test_the_other_slot_is_measured_in_full(self):
        for case in CASES:
            for m in self.series(case, "WELL"):
                with self.subTest(f"{case}: {m['metric']}"):
                    self.assertEqual((m["outcome"], m["valid"], m["failed"]),
                                     ("measured", True, 0), m["reason"])

    def test_a_slot_that_is_given_up_is_said_once(self):
        for case in CASES:
            record = json.loads((self.out / case / "results.json").read_text())
            said = [w["message"] for w in record["warnings"] if w["code"] == "W-GONE"]
            with self.subTest(case):
                self.assertEqual(len(said), case in GIVEN_UP, said)
                self.assertTrue(record["session"]["complete"])
                self.assertNotIn("W-ASPM-STOP", json.dumps(record["warnings"]))

    def test_failed_reads_are_in_no_statistic(self):
        for case in CASES:
            for m in self.series(case, case):
                with self.subTest(f"{case}: {m['metric']}"):
                    rows = m["blocks"]["rows"]
                    whole = max((row[0] for row in rows), default=0)
                    self.assertTrue(all(row[0] in (0, whole) for row in rows), "part of a block")
                    self.assertEqual(sum(row[0] for row in rows), m["n"])
                    self.assertEqual(sum(1 for row in rows if not row[0]) > 0,
                                     m["failed"] > 0 and bool(rows))

    def test_an_unreadable_block(self):
        self.assert_marked("BAD")
        good = [m for m in self.series("BAD", "BAD") if m["conditions"]["pattern"] == "random"]
        self.assertTrue(all(m["outcome"] == "measured" for m in good), good)

    @attempts.measured
    def test_a_stall_is_a_latency(self):
        self.assertIn(self.rc("STALLS"), (0, 8), "8: blocks of very different medians")
        most = max(m["max_ns"] or 0 for m in self.series("STALLS", "STALLS"))
        self.assertGreaterEqual(most, 100e6)

    def test_a_controller_reset_leaves_whole_results(self):
        self.assertIn(self.rc("RESETS"), (0, 8))
        if self.rc("RESETS"):
            self.assert_marked("RESETS")

    def test_registers_of_all_ones(self):
        self.assert_marked("ONES")

    def test_a_namespace_that_goes(self):
        self.assert_marked("UNBOUND")

    def test_a_drive_that_is_pulled(self):
        self.assert_marked("PULLED")


if __name__ == "__main__":
    PROGRAM.append(sys.argv[1])
    sys.exit(attempts.main())
