# SPDX-License-Identifier: GPL-2.0-or-later
"""What may be measured again, and what may not."""
from __future__ import annotations

import contextlib
import io
import sys
import types
import unittest

from tests import attempts


def judge(tests: dict, boots: list) -> tuple[int, int, str]:
    """A module with one class of these tests: status, boots, what was printed."""
    def boot(_):
        boots.append(1)

    module = types.ModuleType("judged")
    module.Times = type("Times", (unittest.TestCase,), {"setUpClass": classmethod(boot), **tests})
    sys.modules["judged"] = module
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = attempts.main("judged")
    return status, len(boots), out.getvalue()


def run(good_from: int, structure: bool = True) -> tuple[int, int, str]:
    """One measured test that holds from that boot on, and one of structure."""
    boots = []

    @attempts.measured
    def test_time(self):
        with self.subTest("one of several"):
            self.assertGreaterEqual(len(boots), good_from)

    def test_structure(self):
        self.assertTrue(structure)

    return judge({"test_time": test_time, "test_structure": test_structure}, boots)


def run_two(good: dict[str, tuple[int, ...]]) -> tuple[int, int]:
    """Measured tests, each with the boots on which it holds: status and boots."""
    boots = []

    def holds_on(allowed):
        @attempts.measured
        def test(self):
            self.assertIn(len(boots), allowed)
        return test

    return judge({f"test_{name}": holds_on(on) for name, on in good.items()}, boots)[:2]


class Attempts(unittest.TestCase):
    def test_each_measured_test_needs_one_boot_on_which_it_holds(self):
        self.assertEqual(run_two({"a": (1, 3), "b": (2,)}), (0, 2))
        self.assertEqual(run_two({"a": (2,), "b": (3,)}), (0, 3))

    def test_one_that_never_holds_fails_whatever_the_others_do(self):
        self.assertEqual(run_two({"a": (1, 2, 3), "b": ()}), (1, 3))

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
