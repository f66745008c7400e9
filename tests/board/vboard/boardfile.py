# SPDX-License-Identifier: GPL-2.0-or-later
"""Board files: one readable text per machine. docs/virtual-board.md has the grammar.

A file is a list of statements, one a line: a word, a name, key=value pairs.
Values may be ranges (5000..40000); they are drawn when the board starts. A
backslash at the end continues a line.
"""
from __future__ import annotations

import random
import shlex
from dataclasses import dataclass, field
from pathlib import Path

LINK_NS = ("hop_ns", "l0s_entry_ns", "l0s_exit_ns", "l1_entry_ns", "l1_exit_ns", "l11_exit_ns",
           "l12_entry_ns", "l12_exit_ns", "wake_period_ns")
LINK_FLAGS = ("never_sleeps", "always_sleeps")
LINK_FACTS = ("speed", "width", "aspm", "adv_l0s", "adv_l1", "clkpm", "l1ss", "firmware_aspm",
              "firmware_clkpm",
              "firmware_l1ss", "lnkctl_stuck")
DEVICE_NS = ("config_ns", "media_ns", "sleep_idle_ns", "sleep_exit_ns", "stall_period_ns",
             "stall_ns", "stall_once_ns")
BOARD_KEYS = ("title", "vendor", "product", "bios")
SETTINGS = ("crossings", "overlap", "usp_rule", "a0", "hot_ns", "config", "kernel_args", "smp")
COMMON = ("on", "at", "via", "id", "class", "rev", "subsystem", "builtin", "read_error_sector",
          "attach", "hops")
BRIDGES = ("port", "switch", "down", "pcibridge")
HIDDEN = "hidden"  # a link without registers; not a function
FUNCTIONS = BRIDGES + ("nvme", "gpu", "nic", "func", "vmd", HIDDEN)
SLOT_KEYS = ("port", "address", "usage", "type", "width", "id")
FAULT_KEYS = ("kind", "target", "at", "back", "ns", "for", "key", "value")
FAULT_KINDS = ("remove", "stall", "dead", "set")
MODEL_KEYS = LINK_NS + LINK_FLAGS + DEVICE_NS


CONTINUED = "\0"  # stands for a backslash at the end of a line
VMD_DOMAIN = 0x10000
ALIAS_SLOT = 0x19  # where QEMU really has functions that it cannot have in their place
ALIASES = 8


def devfn(text: str) -> int:
    dev, _, fn = text.partition(".")
    return int(dev, 16) << 3 | int(fn or "0", 16)


class BoardError(Exception):
    """What is wrong with a board file, with the line."""


@dataclass
class Node:
    name: str
    kind: str
    keys: dict[str, str]
    line: int
    index: int = -1
    parent: Node | None = None
    domain: int = 0
    real_at: str = "00.0"  # dev.fn in QEMU
    aliased: bool = False  # there on bus 0, and not in its place
    values: dict[str, int] = field(default_factory=dict)  # drawn, ns and flags

    @property
    def at(self) -> str:
        return self.keys.get("at", "00.0")

    @property
    def on(self) -> str:
        return self.keys.get("on", "root")

    @property
    def is_port(self) -> bool:
        return self.kind in ("port", "down")

    @property
    def has_link(self) -> bool:
        return self.is_port or self.kind == HIDDEN

    def number(self, key: str, default: int = 0) -> int:
        return int(self.keys[key], 0) if key in self.keys else default


@dataclass
class Board:
    name: str
    keys: dict[str, str]
    settings: dict[str, str] = field(default_factory=dict)
    buses: dict[str, int] = field(default_factory=lambda: {"root": 0})
    nodes: list[Node] = field(default_factory=list)
    slots: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    variants: dict[str, list[tuple[str, dict[str, str]]]] = field(default_factory=dict)
    faults: dict[str, dict[str, str]] = field(default_factory=dict)

    def node(self, name: str) -> Node:
        for n in self.nodes:
            if n.name == name:
                return n
        raise BoardError(f"{self.name}: nothing is called {name!r}")

    def child(self, port: Node) -> Node | None:
        return next((n for n in self.nodes if n.parent is port), None)

    def yes(self, key: str, default: str = "no") -> bool:
        return self.settings.get(key, default) == "yes"


def _pairs(words: list[str], allowed: tuple[str, ...], where: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for w in words:
        key, sep, value = w.partition("=")
        if not sep or key not in allowed:
            raise BoardError(f"{where}: do not know {w!r}; known: {', '.join(sorted(allowed))}")
        out[key] = value
    return out


class _Parser:
    def __init__(self, path: Path):
        self.path = path
        self.board: Board | None = None
        self.defaults: dict[str, dict[str, str]] = {}
        self.where = str(path)

    def parse(self) -> Board:
        text = self.path.read_text().replace("\\\n", CONTINUED)
        number = 0
        for line in text.splitlines():
            number += 1 + line.count(CONTINUED)
            line = line.replace(CONTINUED, " ")
            self.where = f"{self.path.name}:{number}"
            try:
                words = shlex.split(line, comments=True)
            except ValueError as e:
                raise BoardError(f"{self.where}: {e}") from e
            if words:
                self.statement(words, number)
        if not self.board:
            raise BoardError(f"{self.path.name}: no 'board NAME' line")
        _link_up(self.board)
        return self.board

    def statement(self, words: list[str], number: int) -> None:
        word, rest = words[0], words[1:]
        if word == "board":
            self.board = Board(rest[0], _pairs(rest[1:], BOARD_KEYS, self.where))
        elif not self.board:
            raise BoardError(f"{self.where}: the first statement must be 'board NAME'")
        elif word == "set":
            self.board.settings.update(_pairs(rest, SETTINGS, self.where))
        elif word == "defaults":
            self.defaults.setdefault(rest[0], {}).update(
                _pairs(rest[1:], LINK_NS + LINK_FACTS + LINK_FLAGS + DEVICE_NS, self.where))
        elif word == "bus":
            self.board.buses[rest[0]] = int(_pairs(rest[1:], ("number",), self.where)["number"], 0)
        elif word in FUNCTIONS:
            self.function(word, rest, number)
        elif word in ("slot", "variant", "fault"):
            getattr(self, word)(self.board, rest)
        else:
            raise BoardError(f"{self.where}: do not know the statement {word!r}")

    def function(self, kind: str, rest: list[str], number: int) -> None:
        keys = {}
        if kind in ("port", "down", HIDDEN):
            keys.update(self.defaults.get("link", {}))
        keys.update(self.defaults.get(kind, {}))
        allowed = COMMON + LINK_NS + LINK_FACTS + LINK_FLAGS + DEVICE_NS
        keys.update(_pairs(rest[1:], allowed + ("bus",), self.where))
        assert self.board
        self.board.nodes.append(Node(rest[0], kind, keys, number))

    def slot(self, board: Board, rest: list[str]) -> None:
        board.slots.append((rest[0], _pairs(rest[1:], SLOT_KEYS, self.where)))

    def variant(self, board: Board, rest: list[str]) -> None:
        board.variants.setdefault(rest[0], []).append(
            (rest[1], _pairs(rest[2:], MODEL_KEYS + SETTINGS, self.where)))

    def fault(self, board: Board, rest: list[str]) -> None:
        keys = _pairs(rest[1:], FAULT_KEYS, self.where)
        if keys.get("kind") not in FAULT_KINDS:
            raise BoardError(f"{self.where}: kind= must be one of {', '.join(FAULT_KINDS)}")
        board.faults[rest[0]] = keys


def _link_up(board: Board) -> None:
    """Number the nodes and find their parents; a parent is declared before its children."""
    seen: dict[str, Node] = {}
    aliases = 0
    for i, n in enumerate(board.nodes):
        on = n.on
        if n.name in seen or n.name in board.buses:
            raise BoardError(f"{board.name}: two things are called {n.name!r}")
        if on in seen and seen[on].kind != "vmd":
            n.parent = seen[on]
        elif on in seen:
            n.domain = VMD_DOMAIN
        elif n.kind != HIDDEN and on not in board.buses:
            raise BoardError(f"{board.name}: {n.name} is on {on!r}, which is not declared above it")
        if n.keys.get("via", n.name) not in (*seen, n.name):
            raise BoardError(f"{board.name}: {n.name} is via {n.keys['via']!r}, which is not "
                             "declared above it")
        n.index = i
        # QEMU has no VMD, and its extra root buses take bridges only.
        n.aliased = n.domain > 0 or (not n.parent and board.buses.get(on, 0) > 0 and
                                     n.kind not in BRIDGES)
        n.real_at = f"{ALIAS_SLOT:x}.{aliases}" if n.aliased else n.at
        aliases += n.aliased
        seen[n.name] = n
    if aliases > ALIASES:
        raise BoardError(f"{board.name}: more than {ALIASES} functions behind VMD or on buses "
                         "other than 0")
    for label, keys in board.slots:
        if "port" in keys:
            board.node(keys["port"])
        elif "address" not in keys:
            raise BoardError(f"{board.name}: slot {label!r} needs port= or address=")


def draw_value(text: str, rng: random.Random) -> int:
    """A number, or one drawn from FROM..TO."""
    low, sep, high = text.partition("..")
    return rng.randint(int(low, 0), int(high, 0)) if sep else int(low, 0)


def draw(keys: dict[str, str], rng: random.Random) -> dict[str, int]:
    out = {}
    for k, v in keys.items():
        if k in LINK_FLAGS:
            out[k] = int(v == "yes")
        elif k in MODEL_KEYS:
            out[k] = draw_value(v, rng)
    return out


def load(path: Path) -> Board:
    return _Parser(path).parse()


def draw_board(board: Board, seed: int) -> None:
    """Fix every range of the board, in file order."""
    rng = random.Random(seed)
    for n in board.nodes:
        n.values = draw(n.keys, rng)


def find(name: str, folder: Path) -> Path:
    """The file of a board by name, ignoring case; or a path as it is."""
    if "/" in name or name.endswith(".board"):
        return Path(name)
    for p in sorted(folder.glob("*.board")):
        if p.stem.lower() == name.lower():
            return p
    known = ", ".join(sorted(p.stem for p in folder.glob("*.board")))
    raise BoardError(f"no board is called {name!r}; there are: {known}")
