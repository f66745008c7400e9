# SPDX-License-Identifier: GPL-2.0-or-later
"""What a board's truth.json says, for tests that judge by it."""
from __future__ import annotations

WRITES = ("wr_operations", "flush_operations", "unmap_operations")


def written(truth: dict) -> list[str]:
    """What QEMU counted that no drive may ever get; a board without a drive would prove nothing."""
    if not truth["drives"]:
        raise ValueError("this board has no drives to count writes of")
    return [f"{drive['name']}: {drive[key]} {key}"
            for drive in truth["drives"] for key in WRITES if drive[key]]


def link(truth: dict, name: str) -> dict:
    return next(x for x in truth["links"] if x["name"] == name)
