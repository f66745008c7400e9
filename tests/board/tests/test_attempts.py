# SPDX-License-Identifier: GPL-2.0-or-later
"""What may be measured again, and what may not."""
from __future__ import annotations

import contextlib
import io
import sys
import types
import unittest

from tests import attempts


def run(good_from: int, structure: bool = True) -> tuple[int, int, str]:
    """A module whose measured test holds from that boot on: status, boots, what was printed."""
    boots = []

    class Times(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            boots.append(1)

        @attempts.measured
        def test_time(self):
            with self.subTest("one of several"):
                self.assertGreaterEqual(len(boots), good_from)

        def test_structure(self):
            self.assertTrue(structure)

    module = types.ModuleType("judged")
    module.Times = Times
    sys.modules["judged"] = module
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = attempts.main("judged")
    return status, len(boots), out.getvalue()


class Attempts(unittest.TestCase):
    def test_a_good_run_is_one_attempt(self):
        self.assertEqual(run(1)[:2], (0, 1))

    def test_measured_times_get_another_boot_and_it_is_said(self):
        status, boots, said = run(3)
        self.assertEqual((status, boots), (0, 3))
        self.assertIn("attempt 2 of 3", said)

    def test_the_last_attempt_decides(self):
        self.assertEqual(run(4)[:2], (1, 3))

    def test_structure_is_never_repeated(self):
        self.assertEqual(run(2, structure=False)[:2], (1, 1))


if __name__ == "__main__":
    unittest.main()
