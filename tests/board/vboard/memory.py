# SPDX-License-Identifier: GPL-2.0-or-later
"""The memories of a board: what the guest sees, what it does not, and a page of ones.

All are anonymous files. The private one holds what is under test: it has no name
in any file system, and the guest's view of the host's root does not reach /proc
(see shares() in invoke.py).
"""
from __future__ import annotations

import ctypes
import mmap
import os

from . import layout


class Memories:
    def __init__(self):
        self.fds: dict[str, int] = {}
        self.shared = layout.Shared.from_buffer(self._map("shared", layout.SHARED_BYTES))
        self.private = layout.Private.from_buffer(
            self._map("private", ctypes.sizeof(layout.Private)))
        self._map("ones", layout.ONES_BYTES)[:] = b"\xff" * layout.ONES_BYTES

    def _map(self, name: str, size: int) -> mmap.mmap:
        self.fds[name] = os.memfd_create(f"vb-{name}", 0)
        os.ftruncate(self.fds[name], size)
        return mmap.mmap(self.fds[name], size)

    def close(self) -> None:
        """The descriptors; the mappings live as long as the structures."""
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}
