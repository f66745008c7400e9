# SPDX-License-Identifier: GPL-2.0-or-later
"""The little of QMP that the board needs."""
from __future__ import annotations

import contextlib
import json
import socket
import time


class QmpError(Exception):
    """QEMU refused a command."""


class Qmp:
    def __init__(self, path: str, timeout_s: float = 20):
        end = time.monotonic() + timeout_s
        self.sock = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.sock.connect(path)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.file = self.sock.makefile("rw")
        self.file.readline()
        self.command("qmp_capabilities")

    def command(self, name: str, **arguments):
        self.file.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.file.flush()
        for line in self.file:
            answer = json.loads(line)
            if "error" in answer:
                raise QmpError(f"{name}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        raise QmpError(f"{name}: QEMU has gone")

    def close(self) -> None:
        with contextlib.suppress(OSError):  # QEMU may have gone with a command unread
            self.file.close()
        self.sock.close()

    def block_counts(self) -> dict[str, dict]:
        """Operations by the node name of each drive."""
        return {b.get("node-name", ""): b["stats"] for b in self.command("query-blockstats")}
