# SPDX-License-Identifier: GPL-2.0-or-later
"""An initramfs is a cpio archive in the "newc" format (kernel: initramfs-buffer-format)."""
from __future__ import annotations

import gzip
from pathlib import Path

DIRECTORY, FILE = 0o040755, 0o100755


def _entry(name: str, mode: int, data: bytes, inode: int) -> bytes:
    raw = name.encode() + b"\0"
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + raw
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def write(path: Path, folders: list[str], files: dict[str, bytes]) -> None:
    """An archive of empty folders and files (name to content)."""
    out = b""
    for inode, name in enumerate(folders, 1):
        out += _entry(name, DIRECTORY, b"", inode)
    for inode, (name, data) in enumerate(files.items(), 1000):
        out += _entry(name, FILE, data, inode)
    out += _entry("TRAILER!!!", 0, b"", 0)
    path.write_bytes(gzip.compress(out, 1))
