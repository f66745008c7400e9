# SPDX-License-Identifier: GPL-2.0-or-later
"""SMBIOS type 9 structures (DMTF DSP0134, 7.10), one file each for QEMU's -smbios."""
from __future__ import annotations

import struct

from .boardfile import Board, devfn
from .machine import predict_buses

TYPES = {"x1": 0xB0, "x4": 0xB3, "x8": 0xB4, "x16": 0xB5, "m2": 0x17, "pcie": 0xA5}
WIDTHS = {"x1": 8, "x4": 10, "x8": 11, "x16": 13, "m2": 10, "pcie": 1}
USAGE = {"available": 3, "used": 4, "unavailable": 5}
NO_ADDRESS = (0xFF, 0xFF)


def address_of(board: Board, keys: dict[str, str]) -> tuple[int, int]:
    """(bus, devfn) of a slot: as written, or that of its port."""
    text = keys.get("address")
    if text == "none":
        return NO_ADDRESS
    if text:
        bus, _, rest = text.partition(":")
        return int(bus, 16), devfn(rest)
    return predict_buses(board)[keys["port"]]


def structure(board: Board, number: int, label: str, keys: dict[str, str]) -> bytes:
    kind = keys.get("type", "x4")
    port = board.node(keys["port"]) if "port" in keys else None
    used = "used" if port and board.child(port) else "available"
    bus, fn = address_of(board, keys)
    return struct.pack("<BBHBBBBBHBBHBB", 9, 0x11, 0x0900 + number, 1, TYPES[kind], WIDTHS[kind],
                       USAGE[keys.get("usage", used)], 4, int(keys.get("id", str(number + 1))),
                       0x0C, 1, 0, bus, fn) + label.encode() + b"\0\0"


def structures(board: Board) -> list[bytes]:
    return [structure(board, i, label, keys) for i, (label, keys) in enumerate(board.slots)
            if label]
