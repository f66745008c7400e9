#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs guest_link on virtual boards: guest_link.py PROGRAM MODE [OPTION OF tools/board …]"""
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def main(program: str, mode: str, *options: str) -> int:
    with tempfile.TemporaryDirectory(prefix="pl-guest-link-") as out:
        command = [TOP / "tools/board", "run", *options, "-o", out, "--", program, mode]
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
