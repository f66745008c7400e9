# SPDX-License-Identifier: GPL-2.0-or-later
"""The two memories of a board: one the guest sees, one it does not.

Both are anonymous files. The private one holds what is under test: it has no
name in any file system, and the guest's view of the host's root does not
reach /proc (see machine sharing in run.py).
"""
from __future__ import annotations

import ctypes
import mmap
import os

from . import layout


class Memory:
    def __init__(self, name: str, kind: type[ctypes.Structure], size: int):
        self.fd = os.memfd_create(name, 0)
        os.ftruncate(self.fd, size)
        self.map = mmap.mmap(self.fd, size)
        self.data = kind.from_buffer(self.map)


def shared() -> Memory:
    return Memory("vb-shared", layout.Shared, layout.SHARED_BYTES)


def private() -> Memory:
    return Memory("vb-private", layout.Private, ctypes.sizeof(layout.Private))
