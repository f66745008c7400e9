# SPDX-License-Identifier: GPL-2.0-or-later
"""pcielat list on X670E: the right tree, the wrong slot name demoted, a capture that replays.

The capture is taken in the guest and listed outside of it: the same slots must come out.
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest

import guest
from vboard import build

PROGRAM = build.REPO / "build/release/pcielat"
COMMAND = (f"{PROGRAM} list --json=/out/live.json && {PROGRAM} list --tree >/out/tree.txt && "
           f"{PROGRAM} capture -o /out/capture.tar.zst")
WRONG = "PCIEX16_2"  # the board file gives it an address that names nothing


class List(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: build the release preset first")
        cls.r = guest.boot("X670E", COMMAND)
        cls.live = json.loads((cls.r.out / "live.json").read_text())

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def slot(self, name: str) -> dict:
        return next(s for s in self.live["slots"]
                    if s["device"] and s["device"]["bdf"] == self.r.bdf(name))

    def test_the_commands_end_well(self):
        self.assertEqual(self.r.status, 0)

    def test_drives_are_where_the_board_has_them(self):
        for name, label, hops in (("ssd_cpu", "M.2_1", 0), ("ssd_one", "M.2_2", 1),
                                  ("ssd_two", "M.2_3", 2)):
            slot = self.slot(name)
            self.assertEqual((slot["label"], slot["label_source"], slot["chipset_hops"]),
                             (label, "smbios", hops))
            self.assertEqual(slot["attachment"], "chipset" if hops else "cpu-direct")

    def test_the_wrong_name_is_on_no_slot_and_said(self):
        self.assertNotIn(WRONG, [s["label"] for s in self.live["slots"]])
        said = [w for w in self.live["warnings"] if w["code"] == "W-SMBIOS"]
        self.assertTrue(any(WRONG in w["message"] for w in said), said)

    def test_the_tree_nests_the_chips(self):
        tree = (self.r.out / "tree.txt").read_text().splitlines()
        depth = {word: min(line.index(word) for line in tree if word in line)
                 for word in ("M.2_1", "M.2_2", "M.2_3")}
        self.assertLess(depth["M.2_1"], depth["M.2_2"])
        self.assertLess(depth["M.2_2"], depth["M.2_3"])
        self.assertLessEqual(max(map(len, tree)), 80)

    def test_a_capture_lists_the_same_slots(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["tar", "--zstd", "-xf", self.r.out / "capture.tar.zst",
                            "-C", folder, "--strip-components=1"], check=True)
            said = subprocess.run([PROGRAM, "list", "--json", "--sysroot", folder],
                                  check=True, capture_output=True, text=True).stdout
        self.maxDiff = None
        self.assertEqual(self.live["slots"], json.loads(said)["slots"])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
