#!/usr/bin/env python3
"""Holds the rules of CONTRIBUTING.md.

lint.py [RULE…] | lint.py --list | lint.py --names
exit 1 after findings, 77 when a rule cannot run here
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import rules_c  # noqa: F401 (registers)
import rules_text  # noqa: F401
import rules_tools  # noqa: F401
from registry import RULES, Skip
from source import sources


def findings(rule, files):
    """Everything a rule has to say, as "path:line: rule: sentence"."""

    def one(source):
        return [f"{source.path}:{line}: {rule.name}: {text}" for line, text in rule.check(source)]

    with ThreadPoolExecutor(2) as pool:
        return [
            found for per_file in pool.map(one, filter(rule.applies, files)) for found in per_file
        ]


def main(names):
    if names == ["--names"]:
        print(*RULES, sep="\n")
        return 0
    if names == ["--list"]:
        for rule in RULES.values():
            print(f"{rule.name:<14} {rule.about}")
        return 0
    files, status = list(sources()), 0
    for name in names or RULES:
        try:
            found = findings(RULES[name], files)
        except Skip as reason:
            print(f"{name}: skipped: {reason}")
            status = status or 77
            continue
        print(*found, sep="\n", end="\n" if found else "")
        status = 1 if found else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
