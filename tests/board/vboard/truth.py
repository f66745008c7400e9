# SPDX-License-Identifier: GPL-2.0-or-later
"""truth.json: what the board really inserted, and what was done to it."""
from __future__ import annotations

from . import layout
from .boardfile import DEVICE_NS, HIDDEN, LINK_NS, Board, Node
from .facts import L1_LIMITS_NS

SCHEMA = "pcielat.truth"
BLOCK_KEYS = ("rd_operations", "wr_operations", "flush_operations", "unmap_operations",
              "failed_rd_operations", "wr_bytes")


def bdf(node: layout.Node) -> str | None:
    if node.parent == layout.NOT_A_FUNCTION:
        return None
    return f"{node.domain:04x}:{node.bus:02x}:{node.devfn >> 3:02x}.{node.devfn & 7}"


def _counters(row) -> dict:
    return {kind: {name: getattr(row[i], name) for name, _ in layout.Counter._fields_}
            for i, kind in enumerate(layout.KINDS)}


def counts(board: Board, private: layout.Private) -> dict:
    """Everything inserted so far, by port and by function."""
    return {
        "links": {n.name: _counters(private.link_count[n.index]) for n in board.nodes
                  if n.has_link},
        "functions": {n.name: _counters(private.device_count[n.index]) for n in board.nodes
                      if n.kind != HIDDEN},
    }


def _advertised_l1_ns(lnkcap: int) -> int | None:
    code = lnkcap >> 15 & 7
    return L1_LIMITS_NS[code] if code < len(L1_LIMITS_NS) else None


def _writes(board: Board, shared: layout.Shared) -> dict[int, list[dict]]:
    first = max(0, shared.writes_n - layout.WRITES)
    out: dict[int, list[dict]] = {n.index: [] for n in board.nodes}
    for order in range(first, shared.writes_n):
        w = shared.writes[order % layout.WRITES]
        out[w.node].append({"order": order, "time_ns": w.time_ns,
                            "register": layout.REGISTERS[w.reg], "value": w.value,
                            "bdf": bdf(shared.nodes[w.node])})
    return out


def _link(board: Board, port: Node, shared, private, writes) -> dict:
    child = board.child(port)
    link = private.link[port.index]
    both = writes[port.index] + (writes[child.index] if child else [])
    return {
        "name": port.name,
        "bdf": bdf(shared.nodes[port.index]),
        "child": bdf(shared.nodes[child.index]) if child else None,
        **{key: getattr(link, key) for key in LINK_NS},
        "advertised_l1_exit_ns": _advertised_l1_ns(shared.nodes[port.index].lnkcap),
        "inserted": _counters(private.link_count[port.index]),
        "register_writes": sorted(both, key=lambda w: w["order"]),
    }


def _drive(node: Node, shared, private, blocks: dict[str, dict]) -> dict:
    block = blocks.get(node.name, {})
    device = private.device[node.index]
    return {"name": node.name, "bdf": bdf(shared.nodes[node.index]),
            **{key: getattr(device, key) for key in DEVICE_NS},
            **{key: block.get(key) for key in BLOCK_KEYS}}


def _slots(board: Board, shared) -> list[dict]:
    """Each label of the SMBIOS table: the place it gives, and the port it really belongs to."""
    out = []
    for label, keys in board.slots:
        port = board.node(keys["port"]) if "port" in keys else None
        child = board.child(port) if port else None
        out.append({
            "label": label, "address": keys.get("address"),
            "port": bdf(shared.nodes[port.index]) if port else None,
            "device": bdf(shared.nodes[child.index]) if child else None,
            "right": port is not None and "address" not in keys})
    return out


def record(board: Board, seed: int, shared: layout.Shared, private: layout.Private,
           blocks: dict[str, dict]) -> dict:
    writes = _writes(board, shared)
    return {
        "schema": SCHEMA,
        "board": board.name,
        "seed": seed,
        "crossings": private.crossings,
        "overlap": bool(private.overlap),
        "a0": bool(private.a0),
        "links": [_link(board, n, shared, private, writes) for n in board.nodes if n.has_link],
        "functions": [{"name": n.name, "kind": n.kind, "bdf": bdf(shared.nodes[n.index]),
                       "present": bool(shared.nodes[n.index].present),
                       "id": n.keys["id"], "attachment": n.keys.get("attach"),
                       "chipset_hops": n.number("hops") if "hops" in n.keys else None,
                       "inserted": _counters(private.device_count[n.index])}
                      for n in board.nodes if n.kind != HIDDEN],
        "slots": _slots(board, shared),
        "drives": [_drive(n, shared, private, blocks) for n in board.nodes if n.kind == "nvme"],
        "early_completions": private.early_n,
        "instrumented_accesses": private.io_n,
        "writes_lost": max(0, shared.writes_n - layout.WRITES),
    }
