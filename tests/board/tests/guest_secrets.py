# SPDX-License-Identifier: GPL-2.0-or-later
"""What is under test is drawn anew for each run and cannot be read in the guest."""
from __future__ import annotations

import sys
import unittest

import guest
from vboard.boardfile import DEVICE_NS, LINK_NS

LARGE_NS = 1000  # smaller numbers are everywhere
# Two bytes and zeros are met by chance in configuration spaces, about once in ten boots. Whatever
# held the drawn values would hold many of them.
CHANCE_HITS = 2


class Secrets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.r = guest.boot("X670E", guest.job_file("secrets.sh"))

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def drawn(self) -> dict[str, int]:
        links = {f"{x['name']} {k}": x[k] for x in self.r.truth["links"] for k in LINK_NS}
        drives = {f"{x['name']} {k}": x[k] for x in self.r.truth["drives"] for k in DEVICE_NS}
        # Round numbers are written in the board file, which is no secret.
        return {k: v for k, v in (links | drives).items() if v > LARGE_NS and v % 1000}

    def test_values_are_drawn_within_their_ranges(self):
        hop = self.r.link("uplink")["hop_ns"]
        self.assertTrue(5000 <= hop <= 40000)
        self.assertGreater(len(self.drawn()), 10)

    def test_loot_does_not_hold_them(self):
        loot = [p for p in (self.r.out / "loot").rglob("*") if p.is_file()]
        page = [p for p in loot if p.name.startswith("page-")]
        self.assertTrue(page and page[0].stat().st_size > 100000, "the page could be read at all")
        for path in loot:
            data = path.read_bytes()
            hits = [f"{name} = {value}" for name, value in self.drawn().items()
                    if value.to_bytes(8, "little") in data]
            self.assertLessEqual(len(hits), CHANCE_HITS, f"{path.name} holds {hits}")
            for name, value in self.drawn().items():
                if path.name == "cmdline" and str(value).encode() in data:
                    self.fail(f"{name} = {value} is on the kernel's command line")

    def test_other_file_systems_of_the_host_are_out_of_reach(self):
        self.assertIn("etc/passwd", (self.r.out / "root").read_text(), "the share itself works")
        self.assertFalse((self.r.out / "reached").exists(),
                         (self.r.out / "reached").exists() and self.r.lines("reached"))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
