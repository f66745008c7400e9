# SPDX-License-Identifier: GPL-2.0-or-later
"""pcielat on X670E, three boots with values drawn anew and hidden: does it find them?

Classification must come from ids alone; the configuration steps at the two chips,
and the hop between two units of one drive model, must follow what the board
recorded. The release build is under test: what people run.
"""
from __future__ import annotations

import json
import os
import shutil
import sys
import unittest
from pathlib import Path

import attempts
import board_truth
import guest
from vboard import build

PROGRAM = build.REPO / "build/release/pcielat"
BOOTS = 3
# Where the page stays for whoever wants to see it, report_browser_demo among them.
REPORT = Path(os.environ["DEMO_REPORT"]) if "DEMO_REPORT" in os.environ else None
COMMAND = (f"{PROGRAM} run --quick --probe config,nvme --slot M.2_1 --slot M.2_2 --slot M.2_3 "
           "--no-gaps --allow-virtual --progress never -o /out")
DONE = (0, 8)  # 8: done, some results marked as doubtful, as on a busy host
STEPS = (("uplink", "prom1"), ("p1_08", "prom2"))


class Run:
    """One boot: what pcielat says, and what was true."""

    def __init__(self):
        self.r = guest.boot("X670E", COMMAND, realtime=True)
        if self.r.status not in DONE:
            raise RuntimeError(f"pcielat ended with {self.r.status}, see {self.r.out}")
        self.results = json.loads((self.r.out / "results.json").read_text())
        if REPORT:
            REPORT.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.r.out / "report.html", REPORT)
        guest.clean(self.r)

    def effects(self, kind: str) -> list[dict]:
        return [e for e in self.results["effects"]
                if e["effect"] == kind and e["status"] == "resolved"]

    def steps(self, above: str, below: str) -> list[dict]:
        """Resolved steps from a port to the switch below it, links awake."""
        pair = (self.r.bdf(above), self.r.bdf(below))
        return [e for e in self.effects("config_step")
                if (e["reference_function"], e["function"]) == pair and e["state"] == "off"]


def is_close(effect: dict, true_ns: float) -> bool:
    """Within 10 % and 1 us, or the effect's own interval holds the truth."""
    return (abs(effect["estimate_ns"] - true_ns) <= 0.1 * true_ns + 1000 or
            effect["ci95_low_ns"] <= true_ns <= effect["ci95_high_ns"])


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: build the release preset first")
        cls.runs = [Run() for _ in range(BOOTS)]

    def test_draws_differ(self):
        hops = {r.r.link("uplink")["hop_ns"] for r in self.runs}
        self.assertEqual(len(hops), BOOTS)

    def test_every_device_is_attached_where_the_board_file_says(self):
        for run in self.runs:
            slots = {s["device"]["bdf"]: s for s in run.results["slots"] if s["device"]}
            for f in run.r.truth["functions"]:
                if not f["attachment"]:
                    continue
                with self.subTest(f["name"]):
                    slot = slots[f["bdf"]]
                    self.assertEqual((slot["attachment"], slot["chipset_hops"]),
                                     (f["attachment"], f["chipset_hops"]))

    @attempts.measured
    def test_configuration_steps_follow_the_hidden_hops(self):
        for number, run in enumerate(self.runs):
            for above, below in STEPS:
                hop = run.r.link(above)["hop_ns"]
                with self.subTest(f"boot {number} {above}"):
                    steps = run.steps(above, below)
                    self.assertTrue(steps, "no resolved step")
                    for e in steps:
                        print(f"boot {number}: {above} {hop} ns, step {e['estimate_ns']:.0f} ns")
                        self.assertTrue(is_close(e, hop), e["sentence"])

    @attempts.measured
    def test_drive_hop_follows_what_was_inserted(self):
        """M.2_3 behind both chips, M.2_1 in the CPU: two units of one model, media alike."""
        for number, run in enumerate(self.runs):
            crossings = run.r.truth["crossings"]
            way = {"ssd_two": ("uplink", "p1_08", "p2_00"), "ssd_cpu": ("cpu_m2",)}
            far, near = (crossings * sum(run.r.link(x)["hop_ns"] for x in way[d])
                         for d in ("ssd_two", "ssd_cpu"))
            hops = [e for e in run.effects("hop")
                    if e["probe"] == "nvme" and e["state"] == "off" and "/08.0/" in e["slot"]]
            with self.subTest(f"boot {number}"):
                self.assertTrue(hops, "no resolved hop")
                for e in hops:
                    print(f"boot {number}: {far - near} ns more, hop {e['estimate_ns']:.0f} ns")
                    self.assertTrue(is_close(e, far - near), e["sentence"])

    def test_no_drive_was_written(self):
        for run in self.runs:
            self.assertEqual(board_truth.written(run.r.truth), [])

    def test_every_run_is_stamped_virtual(self):
        for run in self.runs:
            self.assertIn("VIRTUAL MACHINE", json.dumps(run.results))


if __name__ == "__main__":
    sys.exit(attempts.main())
