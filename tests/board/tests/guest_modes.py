# SPDX-License-Identifier: GPL-2.0-or-later
"""Configuration access as hardware does it, and a kernel that leaves ASPM alone."""
from __future__ import annotations

import sys
import unittest

import attempts
import guest


class LegacyAccess(unittest.TestCase):
    """B650 reads offsets below 256 through CF8/CFC: both offset classes pay the path."""

    @classmethod
    def setUpClass(cls):
        cls.r = guest.boot("B650", guest.job_file("modes.sh"), realtime=True)
        cls.low = {}
        for s in cls.r.samples():
            place = s["path"].split("/")[5]
            key = (s["kind"], place)
            cls.low[key] = min(s["p25_ns"], cls.low.get(key, 1e12))

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def rung(self, kind: str, upper: str, lower: str) -> float:
        return self.low[(kind, self.r.bdf(lower))] - self.low[(kind, self.r.bdf(upper))]

    def close(self, got: float, want: float) -> None:
        self.assertLess(abs(got - want), 0.05 * want + 600, f"{got} for {want}")

    @attempts.measured
    def test_hop_of_the_uplink_in_both_classes(self):
        hop = self.r.link("uplink")["hop_ns"]
        for kind in ("cfg", "cfg0"):
            got = self.rung(kind, "uplink", "p_00")
            print(f"{kind}: uplink {hop} ns, ladder {got:.0f} ns")
            self.close(got, hop)

    @attempts.measured
    def test_port_that_answers_late(self):
        for kind in ("cfg", "cfg0"):
            self.close(self.rung(kind, "p_00", "prom"), 3000)

    @attempts.measured
    def test_legacy_access_is_slower(self):
        self.assertGreater(self.low[("cfg0", self.r.bdf("uplink"))],
                           self.low[("cfg", self.r.bdf("uplink"))])


class AspmOff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.r = guest.boot("aspm_off", guest.job_file("aspm_off.sh"), realtime=True)

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    @attempts.measured
    def test_no_files_but_the_link_sleeps_as_firmware_wants(self):
        self.assertEqual(self.r.lines("files"), [])
        self.assertEqual(int(self.r.lines("lnkctl")[0], 16) & 3, 2)
        low = {g: min(s["p25_ns"] for s in self.r.samples() if s["gap_us"] == g)
               for g in (5, 150)}
        self.assertLess(abs(low[150] - low[5] - 30000), 3000)


if __name__ == "__main__":
    sys.exit(attempts.main())
