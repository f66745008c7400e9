#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ground truth for the GPU probe: lavapipe chases memory in BARs whose loads the board delays.

What the probe reports is compared with what the board really inserted between two marks. The
board has hops, exits and counts; what the compiler makes of the kernels is isa_gate.py's business.
"""
from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "board"), str(HERE.parent / "board/tests")]

import guest  # noqa: E402  (tests/board)

# Single loads are held to 5 %. A chase is timed as a whole dispatch, which the emulated processor
# and its host stretch: it is held more loosely.
TOLERANCE = {"load": 0.05, "chase": 0.15}
SMALL_NS = {"load": 150, "chase": 400}  # below 3 us
REPS = (1, 2, 3)


class Vulkan(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        series = Path(os.environ["GPU_SERIES"]).resolve()
        tool = Path(os.environ["PCIELAT"]).resolve()
        job = f". '{HERE / 'guest_vulkan.sh'}'"
        cls.r = guest.boot(str(HERE / "vulkan.board"), job, realtime=True, timeout_s=500,
                           env=f"GPU_SERIES='{series}' PCIELAT='{tool}' "
                               f"ICD='{os.environ['LAVAPIPE_ICD']}'")
        cls.rows = {}
        for row in cls.r.samples("series"):
            cls.rows.setdefault(row["label"], []).append(row)

    @classmethod
    def tearDownClass(cls):
        if not os.environ.get("KEEP"):
            guest.clean(cls.r)

    def counted(self, label: str, link: str) -> tuple[int, int]:
        """Loads that crossed a link between the marks, and the ns that were inserted."""
        ends = [self.r.mark(f"{label}.{end}")["links"][link]["bar"] for end in ("before", "after")]
        return ends[1]["n"] - ends[0]["n"], ends[1]["sum_ns"] - ends[0]["sum_ns"]

    def true_ns(self, label: str) -> float:
        loads, ns = self.counted(label, "uplink")
        return ns / loads

    def got_ns(self, label: str, metric: str) -> float:
        """The least that was seen: what neighbours on the host add has one sign."""
        field = "least_ns_per_load" if metric == "chase" else "min_ns"
        return next(row[field] for row in self.rows[label] if row["metric"] == metric)

    def base_ns(self, metric: str) -> float:
        """Nothing injected."""
        return min(self.got_ns(f"base.far.{rep}", metric) for rep in REPS)

    def test_nothing_failed(self):
        self.assertEqual((self.r.out / "errors").read_text(), "")
        self.assertEqual(sum(len(rows) for rows in self.rows.values()), 2 * 13 + 3 * 3)

    def test_every_load_is_counted(self):
        """The plugin's count is the loads reported, exactly; the other slot has none."""
        for label, rows in self.rows.items():
            place = "uplink" if ".far" in label or label == "warm" else "direct"
            other = "direct" if place == "uplink" else "uplink"
            reported = 0 if ".ram" in label else sum(int(row["loads_issued"]) for row in rows)
            self.assertEqual(self.counted(label, place)[0], reported, label)
            self.assertEqual(self.counted(label, other)[0], 0, label)

    def check_hop(self, variant: str):
        """Each repetition has a hop of its own. What neighbours on the host add makes an error
        larger, never smaller: the least of the three counts."""
        base = self.true_ns("base.far.1")
        for metric in ("chase", "load"):
            errors = []
            for rep in REPS:
                truth = self.true_ns(f"{variant}.far.{rep}") - base
                got = self.got_ns(f"{variant}.far.{rep}", metric) - self.base_ns(metric)
                allowed = SMALL_NS[metric] if truth < 3000 else TOLERANCE[metric] * truth
                errors.append((got - truth) / allowed)
                print(f"{variant}, {metric}: {got:.0f} ns, inserted {truth:.0f} ns")
            self.assertLess(min(map(abs, errors)), 1.0, metric)

    def test_hop_is_paid_on_every_load(self):
        self.check_hop("hop")

    def test_small_hop(self):
        self.check_hop("small")

    def test_the_other_slot_and_ram_do_not_pay(self):
        for metric in ("chase", "load"):
            got = self.got_ns("hop.near.1", metric) - self.got_ns("base.near.1", metric)
            print(f"the slot beside it, {metric}: {got:.0f} ns")
            self.assertLess(abs(got), 600)

    def exit_of(self, label: str) -> dict[int, float]:
        return {row["gap_ns"]: row["p50_ns"] - row["second_load_p50_ns"]
                for row in self.rows[label]}

    def test_exit_shows_after_the_entry_time_only(self):
        self.assertEqual(self.r.lines("l1")[0], "1")
        truth = self.r.link("direct")["l1_exit_ns"]
        got = self.exit_of("on.near")
        print(f"exit: {got[80000]:.0f} ns after 80 us, true {truth} ns; {got[15000]:.0f} ns after "
              f"15 us, {got[0]:.0f} ns without a gap")
        self.assertLess(abs(got[80000] - truth), TOLERANCE["load"] * truth)
        for gap_ns in (0, 15000):
            self.assertLess(abs(got[gap_ns]), 1000)

    def test_controls_show_no_exit(self):
        for label in ("off.near", "on.ram"):
            for gap_ns, got in self.exit_of(label).items():
                self.assertLess(abs(got), 1500, f"{label} after {gap_ns} ns")

    def test_every_gap_is_real(self):
        for rows in self.rows.values():
            for row in rows:
                if row["metric"] == "load_after_gap":
                    self.assertGreaterEqual(row["real_gap_min_ns"], row["gap_ns"])

    def test_results_are_stamped(self):
        for label, rows in self.rows.items():
            for row in rows:
                self.assertTrue(row["off_path"])
                self.assertEqual(row["warnings"], 0 if ".ram" in label else 1)
                self.assertEqual(row["memory"].startswith("imported:/sys/"), ".ram" not in label)

    def test_the_whole_tool_reports_what_was_counted(self):
        results = json.loads((self.r.out / "tool/results.json").read_text())
        rows = [m for m in results["measurements"] if m["probe"] == "gpu"]
        self.assertGreater(len(rows), 5)
        loads = 0
        for m in rows:
            self.assertTrue(any("W-CHASE-MEMORY" in w for w in m["warnings"]), m["metric"])
            loads += int(m["facts"]["loads_issued"])
        self.assertEqual(self.counted("tool.far", "uplink")[0], loads)
        self.assertEqual(self.counted("tool.far", "direct")[0], 0)
        self.assertEqual(results["effects"], [], "test memory enters no claim")

    def test_refusals_have_a_sentence(self):
        lines = self.r.lines("refused")
        self.assertEqual(len(lines), 2)
        self.assertIn("does not fit", lines[0])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
