# SPDX-License-Identifier: GPL-2.0-or-later
"""A board that is booted once, with one job, for all tests of a class."""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(TOP / "tests/board/tests"))

import board_truth  # noqa: E402


class Booted(unittest.TestCase):
    """A class of tests names its board and its time, and gives the shell text of its job.

    `out` is the folder that the guest sees as /out; `truth` what the board knows; `status` what the
    job ended with."""
    board = ""
    timeout_s = 300

    @classmethod
    def job(cls) -> str:
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix=f"pl-guest-{cls.__name__.lower()}-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = Path(cls.folder.name)
        job = cls.out / "job.sh"
        job.write_text(cls.job())
        cls.status = subprocess.run(
            [TOP / "tools/board", "run", "--board", HERE / cls.board, "-o", cls.out, "--job", job,
             "--timeout", str(cls.timeout_s)], check=False).returncode
        cls.truth = json.loads((cls.out / "truth.json").read_text())

    def text(self, name: str) -> str:
        return (self.out / name).read_text()

    def assert_boot_and_no_write(self):
        self.assertEqual(self.status, 0)
        self.assertEqual(board_truth.written(self.truth), [])
