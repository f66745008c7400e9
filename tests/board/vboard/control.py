# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's line to the launcher, and the faults it or a schedule triggers."""
from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

from . import layout, truth
from .boardfile import BoardError, draw
from .facts import apply_values, apply_variant
from .machine import function_device, real_place
from .qmp import QmpError

if TYPE_CHECKING:
    from .run import Guest

READD_TIMEOUT_S = 20


class Control:
    """Obeys one line at a time; the answer is "ok" or what is wrong."""

    def __init__(self, guest: Guest):
        self.guest = guest
        self.rng = random.Random(guest.seed + 1)
        self.lock = threading.Lock()
        self.started = time.monotonic()
        self.timers: list[threading.Timer] = []
        self.blocks: dict[str, dict] = {}
        self.variant = "base"

    def obey(self, line: str) -> str:
        word, _, rest = line.strip().partition(" ")
        action = getattr(self, f"do_{word}", None)
        if not action:
            return f"do not know {word!r}"
        try:
            with self.lock:
                action(rest)
        except (BoardError, QmpError, KeyError, ValueError) as e:
            return f"{type(e).__name__}: {e}"
        return "ok"

    def note(self, what: str) -> None:
        self.guest.events.append({"time_s": round(time.monotonic() - self.started, 3),
                                  "event": what})

    def do_start(self, _: str) -> None:
        self.started = time.monotonic()
        for name, keys in self.guest.board.faults.items():
            if "at" in keys:
                self.later(float(keys["at"]), name)

    def later(self, seconds: float, fault: str) -> None:
        timer = threading.Timer(seconds, self.obey, (f"fault {fault}",))
        timer.daemon = True
        timer.start()
        self.timers.append(timer)

    def do_variant(self, name: str) -> None:
        self.do_mark(self.variant)
        apply_variant(self.guest.board, name, self.guest.private, self.rng)
        self.variant = name
        self.note(f"variant {name}")

    def do_mark(self, label: str) -> None:
        """What was inserted up to now; a change of variant marks the end of the one before."""
        g = self.guest
        g.marks.append({"label": label, **truth.counts(g.board, g.private)})

    def do_code(self, name: str) -> None:
        self.guest.shared.code = layout.CODE[name]

    def do_exit(self, status: str) -> None:
        self.do_mark(self.variant)
        self.save_blocks()
        self.guest.status = int(status)

    def save_blocks(self) -> None:
        """Add up the drives' counters; a drive that left has taken its own along."""
        for name, stats in self.guest.qmp.block_counts().items():
            node = name.removeprefix("drive-")
            old = self.blocks.get(node, {})
            self.blocks[node] = {k: stats.get(k, 0) + old.get(k, 0) for k in truth.BLOCK_KEYS}

    def do_fault(self, name: str) -> None:
        keys = self.guest.board.faults[name]
        node = self.guest.board.node(keys["target"])
        getattr(self, f"fault_{keys['kind']}")(node, keys)
        self.note(f"fault {name}")

    def undo_later(self, keys: dict[str, str], key: str, undo, what: str) -> None:
        if key not in keys:
            return

        def run() -> None:
            with self.lock:
                undo()
                self.note(what)

        timer = threading.Timer(float(keys[key]), run)
        timer.daemon = True
        timer.start()
        self.timers.append(timer)

    def fault_stall(self, node, keys) -> None:
        self.guest.private.device[node.index].stall_once_ns = int(keys["ns"])

    def fault_dead(self, node, keys) -> None:
        page = self.guest.shared.nodes[node.index]
        page.flags |= layout.NODE_DEAD

        def revive() -> None:
            page.flags &= ~layout.NODE_DEAD

        self.undo_later(keys, "back", revive, f"{node.name} answers again")

    def fault_set(self, node, keys) -> None:
        private = self.guest.private
        before = {keys["key"]: node.values.get(keys["key"], 0)}
        apply_values(node, draw({keys["key"]: keys["value"]}, self.rng), private)
        self.undo_later(keys, "for", lambda: apply_values(node, before, private),
                        f"{node.name} {keys['key']} as before")

    def fault_remove(self, node, keys) -> None:
        self.save_blocks()
        self.guest.qmp.command("device_del", id=node.name)
        self.undo_later(keys, "back", lambda: self.plug(node), f"{node.name} is back")

    def plug(self, node) -> None:
        arguments = function_device(node) | real_place(self.guest.board, node)
        if "cmb_size_mb" in arguments:
            arguments["cmb_size_mb"] = int(arguments["cmb_size_mb"])
        end = time.monotonic() + READD_TIMEOUT_S
        while True:  # the guest may still be letting go of it
            try:
                self.guest.qmp.command("device_add", **arguments)
                return
            except QmpError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)


