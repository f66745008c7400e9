# SPDX-License-Identifier: GPL-2.0-or-later
"""From a drawn board to the shared page (what a guest may see) and the private one."""
from __future__ import annotations

from . import layout
from .boardfile import (DEVICE_NS, HIDDEN, LINK_FLAGS, LINK_NS, SETTINGS, Board, BoardError, Node,
                        devfn, draw)

ASPM_BITS = {"none": 0, "off": 0, "l0s": 1, "l1": 2, "l0s+l1": 3}
L0S_LIMITS_NS = (64, 128, 256, 512, 1000, 2000, 4000)  # LnkCap codes 0..6; 7: more
L1_LIMITS_NS = (1000, 2000, 4000, 8000, 16000, 32000, 64000)
# T_POWER_ON 5 x 10 us, Common_Mode_Restore_Time 45 us, all four substates
L1SS_DEFAULT = 0x1F | 45 << 8 | 5 << 19
CLASSES = {"nvme": 0x010802, "gpu": 0x030000, "nic": 0x020000, "vmd": 0x010400, "func": None}


def code_for(ns: int, limits: tuple[int, ...]) -> int:
    """The LnkCap exit latency code that is true for ns."""
    return next((i for i, limit in enumerate(limits) if ns <= limit), len(limits))


def _owner(node: Node) -> Node | None:
    """The node whose line describes the link of this function."""
    if node.is_port:
        return node
    return node.parent if node.parent and node.parent.is_port else None


def _fact(node: Node, owner: Node, key: str, default: str) -> str:
    """What the function says of itself, else what its link's line says."""
    return node.keys.get(key, owner.keys.get(key, default))


def _lnkcap(node: Node, owner: Node) -> int:
    keys, values = owner.keys, owner.values
    l0s = int(keys.get("adv_l0s", code_for(values.get("l0s_exit_ns", 0), L0S_LIMITS_NS)))
    l1 = int(keys.get("adv_l1", code_for(values.get("l1_exit_ns", 0), L1_LIMITS_NS)))
    speed = int(_fact(node, owner, "speed", "4"))
    width = int(_fact(node, owner, "width", "4"))
    aspm = ASPM_BITS[_fact(node, owner, "aspm", "l0s+l1")]
    clkpm = _fact(node, owner, "clkpm", "yes") == "yes"
    return speed | width << 4 | aspm << 10 | l0s << 12 | l1 << 15 | clkpm << 18


def _l1sscap(node: Node, owner: Node) -> int:
    text = _fact(node, owner, "l1ss", "yes")
    return 0 if text == "no" else L1SS_DEFAULT if text == "yes" else int(text, 0)


def _lnkctl(node: Node, owner: Node) -> int:
    clkpm = _fact(node, owner, "firmware_clkpm", "no") == "yes" and node is not owner
    return ASPM_BITS[_fact(node, owner, "firmware_aspm", "l0s+l1")] | clkpm << 8


def _link_facts(board: Board, node: Node, out: layout.Node) -> None:
    owner = _owner(node)
    if not owner:
        return
    other = board.child(owner) if node is owner else owner
    out.flags |= layout.NODE_EXPRESS
    out.lnkcap = _lnkcap(node, owner)
    out.l1sscap = _l1sscap(node, owner)
    out.lnksta = 1
    if other:
        far = _lnkcap(other, owner)
        out.lnksta = min(out.lnkcap & 0xF, far & 0xF) | min(out.lnkcap & 0x3F0, far & 0x3F0)
        out.lnkctl0 = _lnkctl(node, owner)
        out.l1ssctl0 = owner.number("firmware_l1ss")
    if _fact(node, owner, "lnkctl_stuck", "no") == "yes":
        out.flags |= layout.NODE_LNKCTL_STUCK


def _ids(node: Node, out: layout.Node) -> None:
    out.vendor, out.device = (int(x, 16) for x in node.keys["id"].split(":"))
    base = CLASSES.get(node.kind)
    text = node.keys.get("class")
    if text or base is not None:
        out.class_rev = (int(text, 16) if text else base) << 8 | node.number("rev", 1)
        out.flags |= layout.NODE_SET_CLASS
    if "subsystem" in node.keys:
        out.sub_vendor, out.sub_device = (int(x, 16) for x in node.keys["subsystem"].split(":"))
        out.flags |= layout.NODE_SET_SUBSYSTEM


def _place(board: Board, node: Node, out: layout.Node) -> None:
    if node.kind == HIDDEN:
        out.parent = layout.NOT_A_FUNCTION
        return
    out.parent = node.parent.index if node.parent else layout.NO_PARENT
    out.devfn, out.real_devfn = devfn(node.at), devfn(node.real_at)
    out.domain = node.domain
    if node.domain:
        out.root_bus = board.node(node.on).number("bus", 0xE0)
    elif not node.parent:
        out.root_bus = board.buses[node.on]
        out.real_bus = 0 if node.aliased else out.root_bus


def fill_shared(board: Board, shared: layout.Shared) -> None:
    if len(board.nodes) > layout.NODES:
        raise BoardError(f"{board.name}: more than {layout.NODES} functions")
    shared.magic = layout.SHARED_MAGIC
    shared.nodes_n = len(board.nodes)
    shared.cf8 = board.settings.get("config", "ecam") == "cf8"
    shared.vmd_node = next((n.index for n in board.nodes if n.kind == "vmd"), layout.NODES)
    for node in board.nodes:
        out = shared.nodes[node.index]
        _place(board, node, out)
        if node.kind == HIDDEN:
            continue
        _ids(node, out)
        _link_facts(board, node, out)


def apply_settings(settings: dict[str, str], private: layout.Private) -> None:
    for key, value in settings.items():
        if key in ("overlap", "usp_rule", "a0"):
            setattr(private, key, int(value == "yes"))
        elif key in ("crossings", "hot_ns"):
            setattr(private, key, int(value, 0))


def apply_values(node: Node, values: dict[str, int], private: layout.Private) -> None:
    link, device = private.link[node.index], private.device[node.index]
    for key, value in values.items():
        if key in LINK_NS:
            setattr(link, key, value)
        elif key in DEVICE_NS:
            setattr(device, key, value)
        elif key in LINK_FLAGS:
            bit = getattr(layout, "LINK_" + key.upper())
            link.flags = link.flags | bit if value else link.flags & ~bit


def fill_private(board: Board, private: layout.Private) -> None:
    private.magic = layout.PRIVATE_MAGIC
    defaults = {"overlap": "yes", "usp_rule": "yes", "a0": "no", "crossings": "2",
                "hot_ns": "1500000"}
    apply_settings(defaults | board.settings, private)
    for node in board.nodes:
        private.link[node.index] = layout.Link()
        private.device[node.index] = layout.Device()
        if "via" in node.keys:
            private.via[node.index] = board.node(node.keys["via"]).index + 1
        apply_values(node, node.values, private)


def apply_variant(board: Board, name: str, private: layout.Private, rng) -> None:
    """Back to the board as drawn, then the changes the variant lists."""
    fill_private(board, private)
    if name == "base":
        return
    if name not in board.variants:
        raise BoardError(f"{board.name} has no variant {name!r}")
    for target, keys in board.variants[name]:
        apply_settings({k: v for k, v in keys.items() if k in SETTINGS}, private)
        for node in board.nodes:
            if target == node.name or target == "*" or target == f"{node.kind}s":
                apply_values(node, draw(keys, rng), private)
