# SPDX-License-Identifier: GPL-2.0-or-later
"""Board files, memory layout and SMBIOS tables: everything that needs no guest."""
import ctypes
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests import board_truth
from vboard import boardfile, build, cpio, facts, layout, machine, smbios

BOARDS = Path(__file__).parent.parent / "boards"


def parse(text: str) -> boardfile.Board:
    with tempfile.NamedTemporaryFile("w", suffix=".board") as f:
        f.write(text)
        f.flush()
        return boardfile.load(Path(f.name))


class Layout(unittest.TestCase):
    def test_python_mirrors_c(self):
        out = subprocess.run([os.environ["VBLAYOUT"]], check=True, capture_output=True, text=True)
        for line in out.stdout.splitlines():
            what, _, number = line.partition(" ")
            name, _, field = what.partition(".")
            kind = layout.ALL[name]
            ours = getattr(kind, field).offset if field else ctypes.sizeof(kind)
            self.assertEqual(ours, int(number), what)


class BoardFile(unittest.TestCase):
    def test_every_board_loads_and_fits(self):
        for path in sorted(BOARDS.glob("*.board")):
            with self.subTest(path.stem):
                board = boardfile.load(path)
                boardfile.draw_board(board, 1)
                facts.fill_shared(board, layout.Shared())
                facts.fill_private(board, layout.Private())
                machine.device_args(board)
                smbios.structures(board)
                for name in board.variants:
                    facts.apply_variant(board, name, layout.Private(), None)

    def test_draws_follow_the_seed_and_stay_in_range(self):
        values = set()
        for seed in range(40):
            board = parse("board b\nport p at=01.0 id=1:2 hop_ns=5000..40000\n")
            boardfile.draw_board(board, seed)
            value = board.nodes[0].values["hop_ns"]
            self.assertTrue(5000 <= value <= 40000)
            values.add(value)
            boardfile.draw_board(board, seed)
            self.assertEqual(value, board.nodes[0].values["hop_ns"])
        self.assertGreater(len(values), 35)

    def test_mistakes_name_their_line(self):
        for text, words in (("port p at=1.0\n", "first statement"),
                            ("board b\nport p at=1.0 hopz=3\n", ":2: do not know 'hopz=3'"),
                            ("board b\nnvme n on=nowhere id=1:2\n", "not declared above"),
                            ("board b\nwheel w\n", "do not know the statement"),
                            ("board b\nport p at=1.0\nport p at=2.0\n", "two things")):
            with self.subTest(text), self.assertRaises(boardfile.BoardError) as e:
                parse(text)
            self.assertIn(words, str(e.exception))

    def test_hidden_values_are_not_in_the_page(self):
        board = parse("board b\nport p at=01.0 id=1:2 hop_ns=31337 l1_exit_ns=43210 "
                      "adv_l1=6\nnvme n on=p id=3:4 media_ns=51413\n")
        boardfile.draw_board(board, 1)
        page, private = layout.Shared(), layout.Private()
        facts.fill_shared(board, page)
        facts.fill_private(board, private)
        for value in (31337, 43210, 51413):
            raw = value.to_bytes(4, "little")
            self.assertIn(raw, bytes(private))
            self.assertNotIn(raw, bytes(page))
            self.assertNotIn(str(value), " ".join(machine.device_args(board)))


class Numbers(unittest.TestCase):
    def test_buses_are_numbered_depth_first(self):
        board = boardfile.load(BOARDS / "X670E.board")
        places = machine.predict_buses(board)
        self.assertEqual(places["ssd_cpu"], (2, 0))
        self.assertEqual(places["ssd_two"], (9, 0))
        self.assertEqual(places["p1_0d"], (4, 0x0D << 3))

    def test_advertised_code_is_true(self):
        for ns, code in ((0, 0), (1000, 0), (1001, 1), (32000, 5), (32001, 6), (99999, 7)):
            self.assertEqual(facts.code_for(ns, facts.L1_LIMITS_NS), code)

    def test_smbios_structure(self):
        board = boardfile.load(BOARDS / "X670E.board")
        blob = smbios.structures(board)[4]
        self.assertEqual((blob[0], blob[1]), (9, 0x11))
        self.assertEqual(blob[15:17], bytes((0, 0xe4)))  # 00:1c.4, wrong on purpose
        self.assertTrue(blob.endswith(b"PCIEX16_2\0\0"))

    def test_cpio_entries_are_aligned(self):
        with tempfile.NamedTemporaryFile() as f:
            cpio.write(Path(f.name), ["bin"], {"bin/x": b"12345"})
            names = subprocess.run(f"gzip -dc {f.name} | cpio -t --quiet", shell=True, text=True,
                                   capture_output=True, check=False)
        if names.returncode == 0:
            self.assertEqual(names.stdout.split(), ["bin", "bin/x"])


class Written(unittest.TestCase):
    """What guest tests ask of every board: a write must not pass, nor a board without drives."""

    def test_each_kind_is_named(self):
        clean = {"name": "nvme0", **dict.fromkeys(board_truth.WRITES, 0)}
        self.assertEqual(board_truth.written({"drives": [clean]}), [])
        for key in board_truth.WRITES:
            told = board_truth.written({"drives": [clean, {**clean, "name": "other", key: 1}]})
            self.assertEqual(told, [f"other: 1 {key}"])

    def test_no_drive_proves_nothing(self):
        with self.assertRaises(ValueError):
            board_truth.written({"drives": []})


class Missing(unittest.TestCase):
    """What the host lacks is named, with the command that installs it."""

    def test_no_qemu(self):
        with mock.patch.object(build.shutil, "which", return_value=None), \
                self.assertRaises(build.MissingError) as e:
            build.find_qemu()
        self.assertIn("QEMU is not installed", str(e.exception))
        self.assertIn("apt-get install --no-install-recommends qemu-system-x86", str(e.exception))

    def test_no_kernel(self):
        with mock.patch.object(build.Path, "glob", return_value=[]), \
                self.assertRaises(build.MissingError) as e:
            build.find_kernel()
        self.assertIn("no kernel image in /boot", str(e.exception))
        self.assertIn("linux-image-amd64", str(e.exception))

    def test_plugin_interface_follows_the_version(self):
        for version, api in (("7.2.22", 1), ("8.2.1", 1), ("9.0.0", 2), ("10.0.2", 2)):
            run = mock.Mock(stdout=f"QEMU emulator version {version} (Debian)")
            with mock.patch.object(build.subprocess, "run", return_value=run):
                self.assertEqual(build.plugin_api("qemu"), api)


if __name__ == "__main__":
    unittest.main()
