# SPDX-License-Identifier: GPL-2.0-or-later
"""Where links cannot be changed, pcielat measures as found, says why once, ends as promised.

An ordinary user, sysfs mounted read-only, pcie_aspm=off, errors counted in the middle of a run, and
--aspm raise behind its gate. Afterwards every register is as it was.
"""
from __future__ import annotations

import json
import sys
import unittest

import guest
from vboard import build

PROGRAM = build.REPO / "build/release/pcielat"
DONE = (0, 8)  # 8: done, some results marked as doubtful, as on a busy host
OPTIONS = "--quick --allow-virtual --progress never"
AS_USER = "setpriv --reuid 65534 --regid 65534 --clear-groups"
JOB = f"""
look() {{
    grep -H . /sys/bus/pci/devices/*/link/* /sys/bus/pci/devices/*/power/control \\
        /sys/module/pcie_aspm/parameters/policy
    for f in /sys/bus/pci/devices/*/config; do
        echo "$f"; od -A d -v -t x2 -N 1024 "$f"
    done
}}
run() {{ name=$1; shift; "$@" {OPTIONS} >/out/$name.text 2>&1; echo $? >/out/$name.status; }}
device=$(basename "$(readlink -f /sys/bus/pci/devices/*:00:01.2/*:??:??.?/nvme/..)")
echo $device >/out/device
look >/out/before
"""
BUSY = JOB + f"""
run user {AS_USER} {PROGRAM} run --device $device --no-gaps --json=-
run user_bar {AS_USER} {PROGRAM} run --device $device --no-gaps --probe bar --json=-
run user_raise {AS_USER} {PROGRAM} run --aspm raise --device $device --no-gaps --json=-
mount -o remount,ro /sys
run read_only {PROGRAM} run --device $device --no-gaps --probe bar --json=-
mount -o remount,rw /sys
run dry {PROGRAM} run --device $device --probe bar --dry-run
look >/out/after_refusals
file=/sys/bus/pci/devices/$device/aer_dev_nonfatal
[ -e $file ] || file=/sys/bus/pci/devices/0000:00:01.2/aer_dev_nonfatal
echo 'TOTAL_ERR_NONFATAL 0' >/tmp/errors
mount --bind /tmp/errors $file
(while [ ! -e /out/errors/results.json ]; do sleep 0.1; done
 echo 'TOTAL_ERR_NONFATAL 1' >/tmp/errors) &
run errors {PROGRAM} run --device $device --probe bar -o /out/errors
look >/out/after_errors
umount $file
run raise {PROGRAM} run --aspm raise --device $device --no-gaps --probe bar -o /out/raise
look >/out/after_raise
"""


class Boot(unittest.TestCase):
    BOARD, JOB = "", ""

    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: build the release preset first")
        if not cls.BOARD:
            raise unittest.SkipTest("no board of its own")
        cls.r = guest.boot(cls.BOARD, cls.JOB)
        print(f"{cls.BOARD}: {cls.r.wall_s:.0f} s")

    @classmethod
    def tearDownClass(cls):
        if cls.BOARD:
            guest.clean(cls.r)

    def status(self, name: str) -> int:
        return int((self.r.out / f"{name}.status").read_text())

    def text(self, name: str) -> str:
        return " ".join((self.r.out / f"{name}.text").read_text().split())

    def assert_same(self, name: str) -> None:
        before, after = ((self.r.out / n).read_text().splitlines() for n in ("before", name))
        self.assertGreater(len(before), 100)
        self.assertEqual(after, before)


class Refused(Boot):
    BOARD, JOB = "X670E", BUSY

    def test_an_ordinary_user_measures_as_found(self):
        self.assertIn(self.status("user"), DONE, self.text("user"))
        self.assertIn("W-ASPM-FIXED", self.text("user"))
        self.assertIn("run as root", self.text("user"))

    def test_what_was_asked_for_by_name_needs_permission(self):
        self.assertEqual(self.status("user_bar"), 4, self.text("user_bar"))

    def test_raising_needs_root(self):
        """Refused with a sentence, and measured as found all the same."""
        self.assertIn(self.status("user_raise"), DONE, self.text("user_raise")[-2000:])
        self.assertIn("not raised", self.text("user_raise"))
        self.assertNotIn("W-STATE", self.text("user_raise"))

    def test_read_only_sysfs_is_named(self):
        self.assertIn(self.status("read_only"), DONE)
        self.assertIn("W-ASPM-FIXED", self.text("read_only"))
        self.assertIn("Read-only file system", self.text("read_only"))

    def test_nothing_was_changed_by_any_of_them(self):
        self.assert_same("after_refusals")

    def test_a_dry_run_lists_the_writes(self):
        device = (self.r.out / "device").read_text().strip()
        said = self.text("dry")
        self.assertEqual(self.status("dry"), 0)
        self.assertIn(f"/sys/bus/pci/devices/{device}/link/l1_aspm = 0", said)
        self.assertIn("nothing was measured, changed or written", said)

    def test_errors_stop_the_run_and_everything_is_put_back(self):
        self.assertEqual(self.status("errors"), 8, self.text("errors"))
        self.assertIn("W-ASPM-STOP", self.text("errors"))
        self.assertIn("1 uncorrectable", self.text("errors"))
        results = json.loads((self.r.out / "errors/results.json").read_text())
        self.assertFalse(results["session"]["complete"])
        before, after = ((self.r.out / n).read_text() for n in ("before", "after_errors"))
        self.assertEqual(before.splitlines(), after.splitlines())

    def test_raising_says_what_stays_and_puts_the_rest_back(self):
        self.assertIn("W-ASPM-PINS", self.text("raise"))
        states = {m["conditions"]["state"] for m in
                  json.loads((self.r.out / "raise/results.json").read_text())["measurements"]}
        self.assertTrue(any(s.startswith("raised_") for s in states), states)
        self.assert_same("after_raise")


class Off(Boot):
    BOARD = "aspm_off"
    JOB = (JOB + f"run off {PROGRAM} run --all-slots --no-gaps --probe bar --json=-\n"
           "look >/out/after")

    def test_the_kernel_command_line_is_named(self):
        self.assertIn(self.status("off"), DONE, self.text("off"))
        self.assertIn("W-ASPM-FIXED", self.text("off"))
        self.assertIn("pcie_aspm=off is on the kernel's command line", self.text("off"))
        self.assert_same("after")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
