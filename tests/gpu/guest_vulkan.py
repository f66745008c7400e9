#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ground truth for the GPU probe: lavapipe chases memory in BARs whose loads the board delays.

What the probe reports is compared with what the board really inserted between two marks. The
board has hops, exits and counts; what the compiler makes of the kernels is isa_gate.py's business.

A measured value is the far slot minus the near one, taken in turns by one process, beyond the
same difference with nothing inserted. Neighbours on the host only ever add time, so the least of
many short dispatches counts. A boot that a busy host spoiled is repeated; facts are not.
"""
from __future__ import annotations

import json
import os
import statistics
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "board"), str(HERE.parent / "board/tests")]

import guest  # noqa: E402  (tests/board)

TOLERANCE = 0.05
SMALL_NS = 150  # below 3 us
FLOOR_SHARE = 0.10  # of what was inserted; a boot with a higher floor proves nothing
BOOTS = 3
REPS = (1, 2, 3)
# The least that was seen, in the rows of each metric.
LEAST = {"chase": "least_ns_per_load", "load": "min_ns"}


class Boot:
    """One run of the job, and what the board counted meanwhile."""

    def __init__(self):
        series = Path(os.environ["GPU_SERIES"]).resolve()
        tool = Path(os.environ["PCIELAT"]).resolve()
        job = f". '{HERE / 'guest_vulkan.sh'}'"
        self.r = guest.boot(str(HERE / "vulkan.board"), job, realtime=True, timeout_s=240,
                            env=f"GPU_SERIES='{series}' PCIELAT='{tool}' "
                                f"ICD='{os.environ['LAVAPIPE_ICD']}'")
        self.rows = {}
        for row in self.r.samples("series"):
            self.rows.setdefault(row["label"], []).append(row)

    def counted(self, label: str, link: str) -> tuple[int, int]:
        """Loads that crossed a link between the marks, and the ns that were inserted."""
        ends = [self.r.mark(f"{label}.{end}")["links"][link]["bar"] for end in ("before", "after")]
        return ends[1]["n"] - ends[0]["n"], ends[1]["sum_ns"] - ends[0]["sum_ns"]

    def true_ns(self, label: str) -> float:
        loads, ns = self.counted(label, "uplink")
        return ns / loads

    def row(self, label: str, metric: str, place: str) -> dict:
        return next(row for row in self.rows[label]
                    if row["metric"] == metric and PLACES[place] in row["memory"])

    def step_ns(self, label: str, metric: str) -> float:
        """How much longer a load takes in the far slot."""
        far, near = (self.row(label, metric, place)[LEAST[metric]] for place in ("far", "near"))
        return far - near

    def zeros_ns(self, metric: str) -> list[float]:
        """The same where nothing is inserted: of a perfect machine, 0."""
        return [self.step_ns(f"base.{rep}", metric) for rep in REPS]

    def tool(self, place: str) -> list[dict]:
        """What `pcielat run` itself wrote."""
        results = json.loads((self.r.out / f"tool.{place}/results.json").read_text())
        return [m for m in results["measurements"] if m["probe"] == "gpu"]

    def exit_ns(self, label: str, quantile: str = "p50_ns") -> dict[int, float]:
        """By gap: the first load after it minus the next load."""
        return {row["gap_ns"]: row[quantile] - row["second_load_p50_ns"]
                for row in self.rows[label]}


PLACES = {"near": "/0000:01:00.0/", "far": "/0000:04:00.0/"}


class Vulkan(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.boots = [Boot()]
        cls.b = cls.boots[0]
        cls.r = cls.b.r

    @classmethod
    def tearDownClass(cls):
        for boot in cls.boots:
            if not os.environ.get("KEEP"):
                guest.clean(boot.r)

    def measured(self, check) -> None:
        """A busy host spoils whole boots: one that is right counts, each shared by all tests."""
        for number in range(BOOTS):
            if number == len(self.boots):
                self.boots.append(Boot())
            try:
                check(self.boots[number])
                return
            except AssertionError as error:
                print(f"boot {number + 1}: {error}")
                if number == BOOTS - 1:
                    raise

    def test_nothing_failed(self):
        self.assertEqual((self.r.out / "errors").read_text(), "")
        count = sum(len(rows) for rows in self.b.rows.values())
        self.assertEqual(count, 2 + 9 * 4 + 2 + 4 * 3 + 4 + 1)

    def test_every_load_is_counted(self):
        """The plugin's count is the loads reported, exactly; a slot without a chain has none."""
        links = {"near": "direct", "far": "uplink"}
        for label, rows in self.b.rows.items():
            for place, link in links.items():
                reported = sum(int(row["loads_issued"]) for row in rows
                               if PLACES[place] in row["memory"])
                self.assertEqual(self.b.counted(label, link)[0], reported, f"{label}, {place}")

    def check_hop(self, boot: Boot, variant: str, metric: str):
        """The median of the repetitions' errors, each as a share of what is allowed."""
        zeros = boot.zeros_ns(metric)
        zero = statistics.median(zeros)
        errors, truths = [], []
        for rep in REPS:
            truth = boot.true_ns(f"{variant}.{rep}")
            got = boot.step_ns(f"{variant}.{rep}", metric) - zero
            errors.append((got - truth) / (SMALL_NS if truth < 3000 else TOLERANCE * truth))
            truths.append(truth)
            print(f"{variant}, {metric}: {got:.0f} ns, inserted {truth:.0f} ns "
                  f"({100 * (got / truth - 1):+.1f} %), zero {zero:.0f} ns")
        floor = statistics.median(abs(z - zero) for z in zeros)
        self.assertLess(floor, FLOOR_SHARE * statistics.median(truths), "too noisy to judge")
        self.assertLess(abs(statistics.median(errors)), 1.0, f"{variant}, {metric}")

    def test_hop_is_paid_on_every_chased_load(self):
        self.measured(lambda boot: self.check_hop(boot, "hop", "chase"))

    def test_hop_is_paid_on_every_timed_load(self):
        self.measured(lambda boot: self.check_hop(boot, "hop", "load"))

    def test_small_hop_of_a_chase(self):
        self.measured(lambda boot: self.check_hop(boot, "small", "chase"))

    def test_small_hop_of_single_loads(self):
        self.measured(lambda boot: self.check_hop(boot, "small", "load"))

    def check_the_other_slot(self, boot: Boot):
        """The slot beside it is the reference of each hop: it takes as long as with no hop."""
        truth = statistics.median(boot.true_ns(f"hop.{rep}") for rep in REPS)
        for metric, least in LEAST.items():
            near = {v: min(boot.row(f"{v}.{rep}", metric, "near")[least] for rep in REPS)
                    for v in ("base", "hop")}
            ram = next(r[least] for r in boot.rows["hop.ram"] if r["metric"] == metric)
            print(f"the slot beside it, {metric}: {near['hop'] - near['base']:.0f} ns more than "
                  f"with no hop; memory {ram:.0f} ns")
            self.assertLess(abs(near["hop"] - near["base"]), FLOOR_SHARE * truth, metric)
            self.assertLess(ram, near["base"] + FLOOR_SHARE * truth, metric)

    def test_the_other_slot_and_ram_do_not_pay(self):
        self.measured(self.check_the_other_slot)

    def check_step(self, boot: Boot, label: str, gap_ns: int, truth: float,
                   quantile: str = "p50_ns"):
        got = boot.exit_ns(label, quantile)[gap_ns]
        print(f"{label}: {got:.0f} ns after {gap_ns} ns, true {truth} ns "
              f"({100 * (got / truth - 1):+.1f} %)")
        self.assertLess(abs(got - truth), max(TOLERANCE * truth, SMALL_NS), f"{label}, {gap_ns}")

    def check_awake(self, boot: Boot, label: str, *gaps_ns: int):
        for gap_ns in gaps_ns:
            got = boot.exit_ns(label)[gap_ns]
            print(f"{label}: {got:.0f} ns after {gap_ns} ns, true 0 ns")
            self.assertLess(abs(got), 1000, f"{label}, {gap_ns}")

    def check_exit(self, boot: Boot):
        self.check_step(boot, "on.near", 80000, boot.r.link("direct")["l1_exit_ns"])
        self.check_awake(boot, "on.near", 0, 15000)

    def test_exit_shows_after_the_entry_time_only(self):
        self.assertEqual(self.r.lines("l1")[0], "1")
        self.measured(self.check_exit)

    def check_two_steps(self, boot: Boot):
        """Exits of links in series overlap; a switch begins the next within 1 us. A gap that the
        guest made longer passes the second step: the lower quartile is of those it did not."""
        below = boot.r.link("below")["l1_exit_ns"] + 1000
        self.check_awake(boot, "on.far", 0, 15000)
        self.check_step(boot, "on.far", 45000, below, "p25_ns")
        self.check_step(boot, "on.far", 150000, max(below, boot.r.link("uplink")["l1_exit_ns"]))

    def test_two_links_wake_in_two_steps(self):
        self.measured(self.check_two_steps)

    def check_l0s(self, boot: Boot):
        self.check_awake(boot, "l0s.near", 0, 5000)
        self.check_step(boot, "l0s.near", 60000, boot.r.link("direct")["l0s_exit_ns"])

    def test_l0s_shows_too(self):
        self.assertEqual(self.r.lines("l0s")[0], "1")
        self.measured(self.check_l0s)

    def check_controls(self, boot: Boot):
        for label in ("off.near", "on.ram"):
            for gap_ns, got in boot.exit_ns(label).items():
                self.assertLess(abs(got), 1500, f"{label} after {gap_ns} ns")

    def test_controls_show_no_exit(self):
        self.measured(self.check_controls)

    def test_nothing_is_inserted_elsewhere(self):
        for label in self.b.rows:
            if not label.startswith(("on.", "l0s.")):
                self.assertEqual(self.b.counted(label, "direct")[1], 0, label)

    def test_every_gap_is_real(self):
        for rows in self.b.rows.values():
            for row in rows:
                if row["metric"] == "load_after_gap":
                    self.assertGreaterEqual(row["real_gap_min_ns"], row["gap_ns"])

    def test_results_are_stamped(self):
        for label, rows in self.b.rows.items():
            for row in rows:
                self.assertTrue(row["off_path"])
                self.assertEqual(row["warnings"], 0 if ".ram" in label else 1)
                self.assertEqual(row["memory"].startswith("imported:/sys/"), ".ram" not in label)

    def test_the_whole_tool_reports_what_was_counted(self):
        for place, link, other in (("far", "uplink", "direct"), ("near", "direct", "uplink")):
            rows = self.b.tool(place)
            self.assertGreater(len(rows), 5)
            for m in rows:
                self.assertTrue(any("W-CHASE-MEMORY" in w for w in m["warnings"]), m["metric"])
            loads = sum(int(m["facts"]["loads_issued"]) for m in rows)
            self.assertEqual(self.b.counted(f"tool.{place}", link)[0], loads)
            self.assertEqual(self.b.counted(f"tool.{place}", other)[0], 0)
            results = json.loads((self.r.out / f"tool.{place}/results.json").read_text())
            self.assertEqual(results["effects"], [], "test memory enters no claim")

    def check_the_tool(self, boot: Boot):
        """Far slot, links awake, against near slot; near slot asleep after 100 us, L1 allowed."""
        far, near = ({(m["metric"], m["conditions"]["gap_ns"]): m for m in boot.tool(place)}
                     for place in ("far", "near"))
        truth = boot.true_ns("tool.far")
        got = far["load", 0]["p50_ns"] - near["load", 0]["p50_ns"]
        print(f"pcielat run, load: {got:.0f} ns, inserted {truth:.0f} ns "
              f"({100 * (got / truth - 1):+.1f} %)")
        self.assertLess(abs(got - truth), TOLERANCE * truth)
        exit_ns = boot.r.link("direct")["l1_exit_ns"]
        m = near["load_after_gap", 100000]
        got = m["p50_ns"] - m["facts"]["second_load_p50_ns"]
        print(f"pcielat run, exit: {got:.0f} ns, true {exit_ns} ns "
              f"({100 * (got / exit_ns - 1):+.1f} %)")
        self.assertLess(abs(got - exit_ns), TOLERANCE * exit_ns)

    def test_the_whole_tool_is_right(self):
        self.measured(self.check_the_tool)

    def test_refusals_have_a_sentence(self):
        lines = self.r.lines("refused")
        self.assertEqual(len(lines), 2)
        self.assertIn("does not fit", lines[0])
        self.assertIn("that the driver pcieport uses", lines[1])

    def test_a_card_that_is_pulled_ends_its_chase_only(self):
        """Loads of what is gone are answered smoothly and at once: that must be no number."""
        lines = self.r.lines("pulled")
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("went away while the chain lay in it", lines[0])
        self.assertEqual(lines[1], "1")
        self.assertEqual((self.r.out / "pulled.series").read_text(), "")
        self.assertEqual(len(self.b.rows["after.far"]), 1)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
