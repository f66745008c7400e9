# SPDX-License-Identifier: GPL-2.0-or-later
"""A pointer chase through a BAR: every load is counted and pays the path."""
from __future__ import annotations

import json
import sys
import unittest

import attempts
import guest


class Chase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.r = guest.boot("gpu", guest.job_file("chase.sh"), realtime=True)
        cls.runs = {}
        for line in cls.r.lines("chase"):
            variant, place, _, text = line.split(maxsplit=3)
            cls.runs.setdefault((variant, place), []).append(json.loads(text))

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def ns(self, variant: str, place: str) -> float:
        """The fastest of three: what neighbours on the host add has one sign."""
        return min(r["low_ns"] for r in self.runs[(variant, place)])

    def test_every_chase_ends_where_it_should(self):
        ends = {r["end"] for runs in self.runs.values() for r in runs}
        self.assertEqual(ends, {"right"})

    @attempts.measured
    def test_hop_is_paid_on_every_load(self):
        for variant, hop in (("h5", 5000), ("h20", 20000)):
            got = self.ns(variant, "far") - self.ns("base", "far")
            print(f"chase behind the switch, {variant}: {got / 1000:.3f} us")
            self.assertLess(abs(got - hop), 0.05 * hop)

    def test_code_made_at_run_time_pays_too(self):
        jit = json.loads((self.r.out / "jit").read_text())
        self.assertEqual(jit["end"], "right")
        before, after = (self.r.mark(m)["links"]["uplink"]["bar"] for m in ("jit", "counted"))
        self.assertEqual(after["n"] - before["n"], jit["loads"])
        self.assertGreater(jit["low_ns"], 20000)

    @attempts.measured
    def test_the_other_slot_does_not_pay(self):
        for variant in ("h5", "h20"):
            got = self.ns(variant, "near") - self.ns("base", "near")
            self.assertLess(abs(got), 500)

    def test_loads_are_counted_exactly(self):
        before, after = (self.r.mark(label)["links"] for label in ("counted", "after"))
        loads = json.loads((self.r.out / "last").read_text())["loads"]
        counted = {p: after[p]["bar"]["n"] - before[p]["bar"]["n"] for p in ("direct", "uplink")}
        self.assertEqual(counted, {"direct": 0, "uplink": loads})


if __name__ == "__main__":
    sys.exit(attempts.main())
