#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs guest_nvme on the virtual board and asks the board what the drives saw."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def main(program: str) -> int:
    with tempfile.TemporaryDirectory(prefix="pl-guest-nvme-") as out:
        job = subprocess.run([TOP / "tools/board", "run", "-o", out, "--", program])
        if job.returncode:
            return 1
        drives = json.loads((Path(out) / "truth.json").read_text())["drives"]
    reads = [drive["rd_operations"] for drive in drives]
    writes = [drive[key] for drive in drives
              for key in ("wr_operations", "flush_operations", "unmap_operations")]
    print("reads seen by the drives", reads, "writes, flushes and unmaps", writes)
    return 0 if max(reads) > 1000 and not any(writes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
