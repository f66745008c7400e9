#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pcielat monitor in the guest: it names the injected stall and the injected exit, and nothing on a
quiet drive; it survives the removal of the drive and an unreadable block, and ends with its summary
at Ctrl-C. guest_monitor.py PCIELAT GUEST_FAULT [Names|Faults]
"""
import json
import sys
from pathlib import Path

import booted
import attempts
import board_truth

JOB = """
watch() {{ {pcielat} monitor "$@" --progress never; }}
{lines}
:
"""
NAMES = """
watch M.2_1 --duration 38s --json=/out/stalls.json
watch M.2_2 --interval 4ms --duration 48s --hold-links --json=/out/sleeps.json
watch M.2_3 --interval 2ms --duration 14s --json=/out/quiet.json
"""
FAULTS = """
quiet=/dev/$(basename /sys/bus/pci/devices/0000:03:00.0/nvme/nvme*/nvme*n1)
{fault} "$quiet" > /out/fault.txt 2>&1; echo $? >> /out/fault.txt
watch M.2_1 --json=/out/ctrl_c.json > /out/ctrl_c.txt & watcher=$!
sleep 4
kill -INT $(pidof pcielat); wait $watcher; echo $? > /out/ctrl_c.rc
watch M.2_3 --duration 15s --json=/out/gone.json & watcher=$!
sleep 5
vb fault gone
wait $watcher; echo $? > /out/gone.rc
"""
# The link is idle for the gap and for the software around it: 50 to 160 us with sanitizers on a
# busy host. The board's entry lies so far behind a gap of the grid that all of it is before the
# next one, and the exit is large beside what the emulator itself needs after 2 ms.
SOFTWARE_NS = 160000
PROGRAMS: list[str] = []


def documents(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def medians(document: dict) -> list[tuple]:
    return [tuple(round((gap[key] or 0) / 1000) for key in ("gap_ns", "p50_ns", "control_p50_ns"))
            for gap in document["gaps"]]


class Boot(booted.Booted):
    board = "monitor.board"
    timeout_s = 400

    @classmethod
    def lines(cls) -> str:
        raise NotImplementedError

    @classmethod
    def job(cls):
        return JOB.format(pcielat=PROGRAMS[0], lines=cls.lines())


class Names(Boot):
    @classmethod
    def lines(cls):
        return NAMES

    def test_boot_and_no_write(self):
        self.assert_boot_and_no_write()

    def test_nobody_else_used_the_drives(self):
        for name in ("stalls", "sleeps", "quiet"):
            for document in documents(self.out / f"{name}.json"):
                self.assertEqual(document["background_ios"], 0, name)

    def test_waits_for_a_processor_are_counted(self):
        for name in ("stalls", "sleeps", "quiet"):
            for document in documents(self.out / f"{name}.json"):
                self.assertGreaterEqual(document["host_waits"], 0, name)

    @attempts.measured
    def test_a_stall_every_5_s_is_named(self):
        period = documents(self.out / "stalls.json")[0]["period"]
        print("stalls:", period)
        self.assertTrue(period["found"], period)
        self.assertTrue(4.5 < period["median_s"] < 5.5, period)
        self.assertGreater(period["latency_ns"], 15e6)

    @attempts.measured
    def test_a_sleeping_link_is_named_and_vanishes_in_l0(self):
        exit_ns = board_truth.link(self.truth, "port1")["l1_exit_ns"]
        entry_ns = board_truth.link(self.truth, "port1")["l1_entry_ns"]
        phases = documents(self.out / "sleeps.json")
        for document in phases:
            print(document["phase"], document["gap_step"], medians(document))
        self.assertEqual([d["phase"] for d in phases], ["as_found", "off", "as_found"])
        self.assertEqual([d["gap_step"]["found"] for d in phases], [True, False, True])
        for step in (phases[0]["gap_step"], phases[2]["gap_step"]):
            self.assertLess(step["below_ns"], entry_ns)
            self.assertGreater(step["above_ns"] + SOFTWARE_NS, entry_ns)
            self.assertLess(abs(step["step_ns"] / exit_ns - 1), 0.25, step)

    @attempts.measured
    def test_nothing_is_named_on_a_quiet_drive(self):
        quiet = documents(self.out / "quiet.json")[0]
        print("quiet:", quiet["gap_step"], medians(quiet))
        self.assertFalse(quiet["period"]["found"], quiet["period"])
        self.assertFalse(quiet["gap_step"]["found"], quiet["gap_step"])


class Faults(Boot):
    @classmethod
    def lines(cls):
        return FAULTS.format(fault=PROGRAMS[1])

    def test_boot_and_no_write(self):
        self.assert_boot_and_no_write()

    def test_an_unreadable_block_is_an_error(self):
        fault = self.text("fault.txt")
        self.assertTrue(fault.rstrip().endswith("\n0"), fault)

    def test_ctrl_c_ends_with_the_summary(self):
        self.assertEqual(self.text("ctrl_c.rc").strip(), "0")
        self.assertIn(" reads in ", self.text("ctrl_c.txt"))
        document = documents(self.out / "ctrl_c.json")[0]
        self.assertGreater(document["summary"]["n"], 50)

    def test_a_removed_drive_is_an_outage(self):
        gone = documents(self.out / "gone.json")[0]
        self.assertEqual(len(gone["outages"]), 1, gone["outages"])
        self.assertIsNotNone(gone["outages"][0]["to_s"], gone["failure"])
        self.assertEqual(self.text("gone.rc").strip(), "8")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    PROGRAMS.extend(sys.argv[1:3])
    for name in {"Names", "Faults"} - set(sys.argv[3:] or ("Names", "Faults")):
        del globals()[name]
    sys.exit(attempts.main())
