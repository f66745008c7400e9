# SPDX-License-Identifier: GPL-2.0-or-later
"""Every fault of faults.board happens, seen from the guest and in the record.

Times are compared with what was injected, never with a clock limit: a pause of
400 ms must last at least that long, an exit of 30 us must show as 20 us or more.
"""
from __future__ import annotations

import sys
import unittest

import attempts
import board_truth
import guest

FILES = ("clkpm", "l0s_aspm", "l1_aspm", "l1_1_aspm", "l1_2_aspm", "l1_1_pcipm", "l1_2_pcipm")
US = 1000


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.r = guest.boot("faults", guest.job_file("faults.sh"), realtime=True)
        cls.samples = {}
        for s in cls.r.samples():
            cls.samples.setdefault((s["tag"], s["kind"]), {})[s["gap_us"]] = s
        cls.seen = [line.split() for line in cls.r.lines("seen")]

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def low(self, tag: str, gap: int, kind: str = "cfg") -> float:
        return self.samples[(tag, kind)][gap]["p25_ns"]

    def step(self, tag: str, long: int, kind: str = "cfg") -> float:
        """What the long gap costs beyond the short one."""
        return self.low(tag, long, kind) - self.low(tag, 5, kind)

    def said(self, word: str) -> list[str]:
        return next(line[1:] for line in self.seen if line[0] == word)

    def test_job_ran_to_its_end(self):
        self.assertEqual(self.r.status, 0)

    def test_seven_files_exist_and_read_what_firmware_set(self):
        start = {line[1]: line[2] for line in self.seen if line[0] == "start"}
        self.assertEqual(start, {f: "1" for f in FILES})

    def test_files_act_on_registers_of_both_ends(self):
        """l1ss: bit 0 PCI-PM L1.2, 1 PCI-PM L1.1, 2 ASPM L1.2, 3 ASPM L1.1."""
        wrote = {line[1]: [int(x, 16) for x in line[2:]] for line in self.seen
                 if line[0] == "wrote"}
        expected = {"clkpm": (3, 0xF), "l1_1_pcipm": (3, 0xD), "l1_2_pcipm": (3, 0xC),
                    "l1_1_aspm": (3, 0x4), "l1_2_aspm": (3, 0x0), "l0s_aspm": (2, 0x0),
                    "l1_aspm": (0, 0x0)}
        for name, (lnkctl, l1ss) in expected.items():
            with self.subTest(name):
                up, down, up_ss, down_ss = wrote[name]
                self.assertEqual((up & 3, down & 3), (lnkctl, lnkctl))
                self.assertEqual((up_ss & 0xF, down_ss & 0xF), (l1ss, l1ss))

    def test_register_writes_are_recorded_in_order(self):
        writes = self.r.link("plain")["register_writes"]
        orders = [w["order"] for w in writes]
        self.assertEqual(orders, sorted(orders))
        times = [w["time_ns"] for w in writes]
        self.assertEqual(times, sorted(times))
        lnkctl = [w["value"] & 3 for w in writes if w["register"] == "LnkCtl"]
        self.assertIn([3, 3, 2, 2, 0, 0],
                      [lnkctl[i:i + 6] for i in range(len(lnkctl))],
                      "l0s_aspm=0 and l1_aspm=0 wrote both ends")

    @attempts.measured
    def test_every_state_has_its_own_exit(self):
        for tag, exit_us in (("l0s", 15), ("l1.2", 90), ("l1.1", 60), ("l1", 30)):
            with self.subTest(tag):
                got = self.step(tag, 150) / US
                print(f"exit from {tag}: {exit_us} us injected, {got:.1f} us seen")
                self.assertLess(abs(got - exit_us), 0.1 * exit_us + 5)

    @attempts.measured
    def test_scheduled_fault_comes_and_goes(self):
        values = [self.low(f"later {i}", 0) for i in range(1, 16)]
        slow = [v >= 70 * US for v in values]
        self.assertTrue(any(slow), values)
        self.assertFalse(slow[0] or slow[-1], values)
        self.assertIn("fault later", [e["event"] for e in self.r.truth["events"]])

    @attempts.measured
    def test_normal_link(self):
        self.assertLess(self.step("off", 150), 15 * US)
        self.assertGreater(self.step("on", 150), 20 * US)

    @attempts.measured
    def test_link_that_never_sleeps(self):
        self.assertLess(self.step("never", 150), 15 * US)

    @attempts.measured
    def test_link_that_sleeps_whatever_lnkctl_says(self):
        self.assertGreater(self.step("always", 150), 20 * US)

    @attempts.measured
    def test_lnkctl_that_ignores_writes(self):
        kernel, up, down = self.said("stuck")
        self.assertEqual((kernel, int(up, 16) & 3, int(down, 16) & 3), ("0", 2, 2))
        self.assertGreater(self.step("stuck", 150), 20 * US)
        written = [w["value"] & 3 for w in self.r.link("stuck")["register_writes"]
                   if w["register"] == "LnkCtl"]
        self.assertEqual(written[-1], 0)

    @attempts.measured
    def test_lying_lnkcap(self):
        code = int(self.said("liar")[0], 16) >> 15 & 7
        self.assertEqual(code, 1, "advertises at most 2 us")
        self.assertGreater(self.step("liar", 150), 70 * US)

    @attempts.measured
    def test_neighbour_keeps_the_uplink_awake(self):
        self.assertGreater(self.step("alone", 400), 25 * US)
        self.assertLess(self.step("neighbor", 400), 20 * US)
        self.assertGreater(self.step("neighbor", 400), 5 * US)

    @attempts.measured
    def test_uplink_cannot_sleep_above_a_link_held_awake(self):
        self.assertLess(self.step("held", 400), 10 * US)

    @attempts.measured
    def test_drive_that_sleeps_by_itself(self):
        self.assertGreater(self.step("apst", 300, "nvme"), 150 * US)
        self.assertLess(self.step("apst", 300, "cfg"), 15 * US)

    @attempts.measured
    def test_periodic_stalls(self):
        s = self.samples[("stalls", "nvme")][0]
        self.assertLess(s["p25_ns"], 1000 * US)
        self.assertGreaterEqual(s["max_ns"], 3000 * US)

    @attempts.measured
    def test_second_exit_inside_a_command(self):
        more = self.low("a0 on", 0, "nvme") - self.low("a0 off", 0, "nvme")
        self.assertGreater(more, (10 + 20) * US, "10 us more media and an exit of 30 us")

    def test_read_error(self):
        said = {line[1]: line[2] for line in self.seen if line[0] == "sector"}
        self.assertEqual(said, {"800": "failed", "1600": "ok"})
        self.assertGreater(self.r.drive("deaf")["failed_rd_operations"], 0)

    def test_stalled_completion(self):
        before, after = (float(x) for x in self.said("stall"))
        self.assertGreaterEqual(after - before, 0.39)

    def test_all_ones_and_back(self):
        self.assertEqual(self.said("alive")[0], "a80c144d")
        self.assertEqual(self.said("dead")[0], "ffffffff")
        self.assertEqual(self.said("revived")[0], "a80c144d")
        self.assertEqual(self.samples[("dead", "bar")][0]["errors"], 20 + 20)
        self.assertEqual(self.samples[("revived", "bar")][0]["errors"], 0)

    def test_removal_and_return(self):
        self.assertEqual(self.said("before"), ["0000"])
        self.assertEqual(self.said("removed"), ["yes"])
        lnkctl, read = self.said("returned")
        self.assertEqual(int(lnkctl, 16) & 3, 2, "as firmware leaves it")
        self.assertEqual(read, "ok")

    def test_nothing_was_written(self):
        self.assertEqual(board_truth.written(self.r.truth), [])


if __name__ == "__main__":
    sys.exit(attempts.main())
