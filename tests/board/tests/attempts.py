# SPDX-License-Identifier: GPL-2.0-or-later
"""Running a guest test that judges times: a busy host may cost an attempt, never a verdict.

A test marked @measured compares a time with what the board inserted. When nothing but such tests
fail, the boards of their classes are booted anew, up to ATTEMPTS times, and each test that failed
is judged on a boot of its own: many tests of 95 % intervals do not all hold on one boot, while a
test that is wrong fails on each. It is said each time. Anything else that fails (a count, a name,
an exit code) fails at once, on later boots too.
"""
from __future__ import annotations

import sys
import unittest

ATTEMPTS = 3


def measured(test):
    test.is_measured = True
    return test


def is_measured(case) -> bool:
    """Errors are never a busy host's: only failed assertions of a marked test may be repeated."""
    case = getattr(case, "test_case", case)  # of a subTest
    name = getattr(case, "_testMethodName", None)
    return bool(name) and getattr(getattr(type(case), name), "is_measured", False)


def key_of(case) -> tuple[type, str]:
    case = getattr(case, "test_case", case)
    return type(case), case._testMethodName


def load(classes, pending: set | None) -> unittest.TestSuite:
    """All tests; of a later attempt those that are pending, and all that are never repeated."""
    loader = unittest.defaultTestLoader
    suites = [loader.loadTestsFromTestCase(c) for c in classes]
    if pending is None:
        return unittest.TestSuite(suites)
    return unittest.TestSuite(
        unittest.TestSuite(case for case in suite
                           if key_of(case) in pending or not is_measured(case))
        for suite in suites)


def main(module: str = "__main__") -> int:
    module = sys.modules[module]
    classes = [c for c in vars(module).values()
               if isinstance(c, type) and issubclass(c, unittest.TestCase)]
    pending = None
    for attempt in range(1, ATTEMPTS + 1):
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(
            load(classes, pending))
        if result.wasSuccessful():
            return 0
        failed = [case for case, _ in result.failures]
        if result.errors or not all(map(is_measured, failed)):
            return 1
        pending = set(map(key_of, failed))
        classes = [c for c in classes if c in {key[0] for key in pending}]
        print(f"attempt {attempt} of {ATTEMPTS}: only measured times are off", flush=True)
    return 1
