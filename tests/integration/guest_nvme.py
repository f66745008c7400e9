#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs guest_nvme on the virtual board and asks the board what the drives saw."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import booted
import board_truth


def main(program: str) -> int:
    with tempfile.TemporaryDirectory(prefix="pl-guest-nvme-") as out:
        job = subprocess.run([booted.TOP / "tools/board", "run", "-o", out, "--", program])
        if job.returncode:
            return 1
        truth = json.loads((Path(out) / "truth.json").read_text())
    reads = [drive["rd_operations"] for drive in truth["drives"]]
    written = board_truth.written(truth)
    print("reads seen by the drives", reads, "writes, flushes and unmaps", written)
    return 0 if max(reads) > 1000 and not written else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
