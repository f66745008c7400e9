"""Passes ctest's output through, with the skipped tests and their reasons before its summary.

Usage: ctest --output-junit FILE … | summary_last.py FILE
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

SUMMARY = re.compile(r"\d+% tests passed")
# A skipped case inside a program that ran: cmocka's line, or TAP's as bats prints it.
CASES = (
    re.compile(r"^\[  SKIPPED \] (?P<name>\w+)$", re.M),
    re.compile(r"^ok \d+ (?P<name>.*?) # skip ?(?P<reason>.*)$", re.M),
)


def last_line(text):
    """The reason a skipped program gave: its last line of output."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def skipped(junit):
    """Yields (name, reason) of every skipped test and of every skipped case in a test that ran."""
    for test in ElementTree.parse(junit).getroot().iter("testcase"):
        name, text = test.get("name"), test.findtext("system-out") or ""
        if test.find("skipped") is not None:
            yield name, last_line(text)
            continue
        for case in CASES:
            for match in case.finditer(text):
                reason = match.groupdict().get("reason") or "see the test's output"
                yield f"{name}: {match['name']}", reason


def main(junit):
    held = []
    for line in sys.stdin:
        if held or SUMMARY.match(line):
            held.append(line)
        else:
            print(line, end="")
    try:
        rows = sorted(set(skipped(junit)))
    except (OSError, ElementTree.ParseError) as error:
        print(f"no list of skipped tests: {error}")
        rows = []
    if rows:
        print(f"Skipped: {len(rows)}")
    for name, reason in rows:
        print(f"  {name}: {reason}")
    print("".join(["\n"] + held), end="")


if __name__ == "__main__":
    main(sys.argv[1])
