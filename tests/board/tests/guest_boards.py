# SPDX-License-Identifier: GPL-2.0-or-later
"""A board boots as its file says: guest_boards.py NAME.

Every function with its ids where the file puts it, bus numbers as predicted (the
SMBIOS table depends on them), link files exactly where both ends support the
state, drives alive, slot labels in the table firmware hands over.
"""
from __future__ import annotations

import sys
import unittest

import guest
from vboard import boardfile, facts, machine

HELPER = "1af4"
BOARD = sys.argv.pop() if len(sys.argv) > 1 else "X670E"
JOB = guest.job_file("inventory.sh")


def expected_files(board: boardfile.Board, port: boardfile.Node) -> set[str]:
    """Attributes the kernel offers for the link below a port (drivers/pci/pcie/aspm.c)."""
    child = board.child(port)
    ends = (port, child)
    aspm = [n.keys.get("aspm", port.keys.get("aspm", "l0s+l1")) for n in ends]
    out = set()
    if all("l0s" in a for a in aspm):
        out.add("l0s_aspm")
    if all("l1" in a for a in aspm):
        out.add("l1_aspm")
        if all(n.keys.get("l1ss", port.keys.get("l1ss", "yes")) != "no" for n in ends):
            out |= {"l1_1_aspm", "l1_2_aspm", "l1_1_pcipm", "l1_2_pcipm"}
    if all(n.keys.get("clkpm", port.keys.get("clkpm", "yes")) == "yes" for n in ends):
        out.add("clkpm")
    return out


class Board(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.board = boardfile.load(boardfile.find(BOARD, guest.BOARDS))
        cls.r = guest.boot(BOARD, JOB)
        lines = [line.split() for line in cls.r.lines("inventory")]
        cls.found = {w[1]: w[2:] for w in lines if w[0] == "function"}
        cls.links = {}
        for w in lines:
            if w[0] == "link":
                cls.links.setdefault(w[1], {})[w[2]] = w[3]
        cls.drives = {w[1]: w[2] for w in lines if w[0] == "drive"}
        print(f"{BOARD}: boot to results in {cls.r.wall_s:.1f} s")

    @classmethod
    def tearDownClass(cls):
        guest.clean(cls.r)

    def functions(self) -> list[boardfile.Node]:
        return [n for n in self.board.nodes if n.kind != boardfile.HIDDEN]

    def test_every_function_is_there_with_its_ids_and_no_other(self):
        ours = {self.r.bdf(n.name): n.keys["id"] for n in self.functions()}
        theirs = {b: w[0] for b, w in self.found.items() if not w[0].startswith(HELPER)}
        self.assertEqual(ours, theirs)
        self.assertTrue(all(f["present"] for f in self.r.truth["functions"]))

    def test_classes(self):
        for n in self.functions():
            base = n.keys.get("class") or facts.CLASSES.get(n.kind)
            if n.kind in boardfile.BRIDGES:
                base = 0x060400
            if base is not None:
                want = base if isinstance(base, int) else int(base, 16)
                with self.subTest(n.name):
                    got = int(self.found[self.r.bdf(n.name)][1], 16)
                    if n.kind in boardfile.BRIDGES:
                        got &= 0xFFFF00  # subtractive decoding or not
                    self.assertEqual(got, want)

    def test_bus_numbers_are_those_firmware_was_expected_to_give(self):
        for name, (bus, fn) in machine.predict_buses(self.board).items():
            with self.subTest(name):
                self.assertEqual(self.r.bdf(name), f"0000:{bus:02x}:{fn >> 3:02x}.{fn & 7}")

    def test_link_files(self):
        for port in self.board.nodes:
            child = self.board.child(port)
            if not port.is_port or not child:
                continue
            with self.subTest(port.name):
                files = set(self.links.get(self.r.bdf(child.name), {}))
                want = expected_files(self.board, port)
                if child.kind == "nic":  # QEMU's has a version 1 capability: no LTR, no L1.2
                    want.discard("l1_2_aspm")
                self.assertEqual(files, want)

    def test_link_files_read_what_firmware_set(self):
        for port in self.board.nodes:
            child = self.board.child(port)
            if not port.is_port or not child:
                continue
            files = self.links.get(self.r.bdf(child.name), {})
            firmware = port.keys.get("firmware_aspm", "l0s+l1")
            for name in ("l0s", "l1"):
                if f"{name}_aspm" in files:
                    with self.subTest(f"{port.name} {name}"):
                        self.assertEqual(files[f"{name}_aspm"], str(int(name in firmware)))

    def test_drives_are_alive(self):
        want = {self.r.bdf(n.name): "live" for n in self.board.nodes if n.kind == "nvme"}
        self.assertEqual(self.drives, want)

    def test_slot_labels_reach_the_guest(self):
        dmi = (self.r.out / "dmi").read_bytes()
        for label, _ in self.board.slots:
            self.assertIn(label.encode() + b"\0", dmi)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
