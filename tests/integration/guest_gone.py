#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A drive, or the chipset above it, vanishes while link states are set, with a real kernel's link
files: the slot behind it ends, the others are measured in full, what is left is as it was found.
The last time the run is killed too, and its guard puts back what is left. guest_gone.py PCIELAT
"""
import json
import sys

import booted
import attempts

# Name: slots, the drive whose reads are counted, what is done, who stays well, what else changes.
CASES = {
    "ones": ("FIRST DEEP", "08:00.0", "vb fault ones", "FIRST", ("08:00.0", "07:00.0")),
    "killed": ("DIRECT SECOND", "05:00.0",
               "kill -STOP $run; echo 1 > /sys/bus/pci/devices/0000:05:00.0/remove; kill -9 $run",
               None, ("05:00.0", "03:04.0")),
    "removed": ("DIRECT FIRST", "01:00.0", "echo 1 > /sys/bus/pci/devices/0000:01:00.0/remove",
                "FIRST", ("01:00.0", "00:02.0")),
    "bridge": ("LAST FIRST", "04:00.0", "echo 1 > /sys/bus/pci/devices/0000:02:00.0/remove",
               "LAST", ("02:00.0", "00:03.0", "03:", "04:", "06:", "07:", "05:", "08:")),
}
JOB = """
look() {{
	grep -H . /sys/bus/pci/devices/*/link/* /sys/bus/pci/devices/*/power/control \\
		/sys/module/pcie_aspm/parameters/policy
	for f in /sys/bus/pci/devices/*/config; do
		od -A d -v -t x2 -w16 -N 1024 "$f" | sed "s|^|$f |"
	done
}}
try() {{ # NAME BDF COMMAND SLOT...
	name=$1 bdf=0000:$2 command=$3
	shift 3
	look > /out/$name.before
	disk=$(basename /sys/bus/pci/devices/$bdf/nvme/nvme*/nvme*n1)
	reads() {{ awk '{{ print $1 }}' /sys/block/$disk/stat 2> /dev/null || echo 0; }}
	before=$(reads)
	{pcielat} run $* --probe bar --probe nvme --no-gaps --quick --allow-virtual \\
		--progress never -o /out/$name > /out/$name.txt 2>&1 &
	run=$!
	while [ $(($(reads) - before)) -lt 600 ] && kill -0 $run 2> /dev/null; do sleep 0.1; done
	eval "$command"
	wait $run
	echo $? > /out/$name.rc
	for i in $(seq 100); do pgrep -f pcielat-guard > /dev/null || break; sleep 0.1; done
	[ -e /run/pcielat/journal ] && echo stayed > /out/$name.journal
	{pcielat} restore > /out/$name.restore 2>&1
	echo $? >> /out/$name.restore
	look > /out/$name.after
}}
{tries}
:
"""
PROGRAM: list[str] = []


class Gone(booted.Booted):
    board = "gone.board"

    @classmethod
    def job(cls):
        tries = "\n".join(
            f"try {name} {bdf} '{command}' " + " ".join(f"--slot {s}" for s in slots.split())
            for name, (slots, bdf, command, _, _) in CASES.items())
        return JOB.format(pcielat=PROGRAM[0], tries=tries)

    def record(self, case: str) -> dict:
        return json.loads((self.out / case / "results.json").read_text())

    def test_boot_and_no_write(self):
        self.assert_boot_and_no_write()

    def test_one_slot_ends_the_other_is_whole(self):
        for case, (slots, _, _, well, _) in CASES.items():
            if not well:
                continue
            self.assertEqual(self.text(f"{case}.rc").strip(), "8", self.text(f"{case}.txt"))
            record = self.record(case)
            self.assertTrue(record["session"]["complete"])
            labels = {s["key"]: s["label"] for s in record["slots"]}
            states = set()
            for m in record["measurements"]:
                label = labels[m["slot"]]
                with self.subTest(f"{case}: {label} {m['metric']} {m['conditions']['state']}"):
                    self.assertIn(label, slots.split())
                    if label == well:
                        states.add(m["conditions"]["state"])
                        self.assertEqual((m["outcome"], m["valid"], m["failed"]),
                                         ("measured", True, 0), m["reason"])
                    else:
                        self.assertIn(m["outcome"], ("partial", "failed"))
                        self.assertFalse(m["valid"])
                        self.assertIn("is gone", m["reason"])
            self.assertGreaterEqual(len(states), 2, f"{case}: no states were set: {states}")
            said = [w["message"] for w in record["warnings"] if w["code"] == "W-GONE"]
            self.assertEqual(len(said), 1, said)
            print(f"{case}: {said[0]}")

    def test_what_is_left_is_as_it_was(self):
        for case, (_, _, _, _, changed) in CASES.items():
            def lines(name: str, changed=changed) -> list[str]:
                own = ("00:1e.",)  # the board's devices: one of them plays the dead drive
                return [line for line in self.text(name).splitlines()
                        if not any(f"/0000:{c}" in line for c in changed + own)]
            with self.subTest(case):
                self.assertEqual(lines(f"{case}.after"), lines(f"{case}.before"))
                self.assertFalse((self.out / f"{case}.journal").exists(), "a journal stayed")

    def test_there_is_nothing_left_to_restore(self):
        for case in CASES:
            with self.subTest(case):
                text, rc = self.text(f"{case}.restore").rsplit("\n", 2)[:2]
                print(f"{case}: {text}")
                self.assertEqual(rc, "0", text)
                self.assertNotIn("could not", text)
        self.assertIn("guard", self.text("killed.restore"))
        self.assertIn("no longer there", self.text("killed.restore"))


if __name__ == "__main__":
    PROGRAM.append(sys.argv[1])
    sys.exit(attempts.main())
