#!/usr/bin/env python3
"""Holds the rules of CONTRIBUTING.md.

lint.py [RULE…] | lint.py --list | lint.py --names
exit 1 after findings, 77 when a rule cannot run here
"""

import sys

import rules_c  # noqa: F401 (registers)
import rules_text  # noqa: F401
import rules_tools  # noqa: F401
from registry import RULES, Skip
from source import sources


def main(names):
    if names == ["--names"]:
        print(*RULES, sep="\n")
        return 0
    if names == ["--list"]:
        for rule in RULES.values():
            print(f"{rule.name:<16} {rule.about}")
        return 0
    files, status = list(sources()), 0
    for name in names or RULES:
        try:
            found = RULES[name].findings(files)
        except Skip as reason:
            print(f"{name}: skipped: {reason}")
            status = status or 77
            continue
        for path, line, text in found:
            print(f"{path}:{line}: {name}: {text}")
        status = 1 if found else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
