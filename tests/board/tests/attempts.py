# SPDX-License-Identifier: GPL-2.0-or-later
"""Running a guest test that judges times: a busy host may cost an attempt, never a verdict.

A test marked @measured compares a time with what the board inserted. When nothing but such tests
fail, the boards of their classes are booted and judged anew, as a whole, up to ATTEMPTS times. It
is said each time. Anything else that fails (a count, a name, an exit code) fails at once.
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


def class_of(case) -> type:
    return type(getattr(case, "test_case", case))


def load(classes) -> unittest.TestSuite:
    loader = unittest.defaultTestLoader
    return unittest.TestSuite(loader.loadTestsFromTestCase(c) for c in classes)


def main(module: str = "__main__") -> int:
    module = sys.modules[module]
    classes = [c for c in vars(module).values()
               if isinstance(c, type) and issubclass(c, unittest.TestCase)]
    for attempt in range(1, ATTEMPTS + 1):
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(load(classes))
        if result.wasSuccessful():
            return 0
        failed = [case for case, _ in result.failures]
        if result.errors or not all(map(is_measured, failed)):
            return 1
        classes = [c for c in classes if c in set(map(class_of, failed))]
        print(f"attempt {attempt} of {ATTEMPTS}: only measured times are off", flush=True)
    return 1
