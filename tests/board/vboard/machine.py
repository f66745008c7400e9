# SPDX-License-Identifier: GPL-2.0-or-later
"""From a drawn board to QEMU's command line and the bus numbers firmware will give."""
from __future__ import annotations

import json

from .boardfile import BRIDGES, HIDDEN, Board, Node, devfn

DRIVE_BYTES = 64 << 30
GPU_BAR_MB = 16
# 00:1e.x holds the guest's own plumbing: two 9p shares and the shared page.
PLUMBING_SLOT = "1e"
EXPANDER_SLOT = "1a"


def drive_qdev(node: Node) -> str:
    return f"drive-{node.name}"


def blockdev(node: Node) -> dict:
    base = {"driver": "null-co", "size": DRIVE_BYTES, "read-zeroes": True}
    if "read_error_sector" not in node.keys:
        return base | {"node-name": drive_qdev(node)}
    inject = {"event": "none", "iotype": "read", "errno": 5,
              "sector": node.number("read_error_sector")}
    return {"driver": "blkdebug", "node-name": drive_qdev(node), "image": base,
            "inject-error": [inject]}


def function_device(node: Node) -> dict[str, str]:
    """The QEMU device that stands for an endpoint."""
    common = {"id": node.name}
    if node.kind == "nvme":
        drive = drive_qdev(node)
        return {"driver": "nvme", "serial": f"VB{node.index:04d}", "drive": drive} | common
    if node.kind == "gpu":
        return {"driver": "nvme", "serial": f"VG{node.index:04d}",
                "cmb_size_mb": str(GPU_BAR_MB)} | common
    if node.kind == "nic":
        return {"driver": "e1000e"} | common  # QEMU warns that it has no peer: true
    if node.kind == "func" and node.parent and node.parent.kind != "pcibridge":
        return {"driver": "qemu-xhci"} | common
    return {"driver": "pci-testdev"} | common


def _bridge_device(node: Node, chassis: int) -> dict[str, str]:
    if node.kind == "switch":
        return {"driver": "x3130-upstream", "id": node.name}
    if node.kind == "pcibridge":
        return {"driver": "i82801b11-bridge", "id": node.name}
    driver = "pcie-root-port" if node.kind == "port" else "xio3130-downstream"
    out = {"driver": driver, "id": node.name, "chassis": str(chassis), "slot": str(chassis)}
    if node.kind == "port":
        out["pref64-reserve"] = "32M"
        if node.domain:
            # Firmware's hot-plug never saw these ports; the native driver would switch them off.
            out["hotplug"] = "off"
    return out


def real_place(board: Board, node: Node) -> dict[str, str]:
    """bus= and addr= where QEMU really has the function."""
    if node.parent:
        return {"bus": node.parent.name, "addr": node.at}
    root = "root" if node.aliased else node.on
    return {"bus": "pcie.0" if root == "root" else root, "addr": node.real_at}


def devices(board: Board) -> list[dict[str, str]]:
    out = []
    for name, number in board.buses.items():
        if number:
            # The expander itself is hidden by the module; out of the way of the board's places.
            out.append({"driver": "pxb-pcie", "id": name, "bus": "pcie.0", "bus_nr": str(number),
                        "addr": f"{EXPANDER_SLOT}.{len(out)}", "multifunction": "on"})
    for node in board.nodes:
        if node.keys.get("builtin") == "yes" or node.kind == HIDDEN:
            continue
        dev = (_bridge_device(node, node.index + 1) if node.kind in BRIDGES
               else function_device(node)) | real_place(board, node)
        if not node.parent or node.parent.kind == "switch":
            dev["multifunction"] = "on"
        out.append(dev)
    return out


def device_args(board: Board) -> list[str]:
    args = []
    for node in board.nodes:
        if node.kind == "nvme":
            args += ["-blockdev", json.dumps(blockdev(node))]
    for dev in devices(board):
        text = dev.pop("driver") + "".join(f",{k}={v}" for k, v in dev.items())
        args += ["-device", text]
    return args


def predict_buses(board: Board) -> dict[str, tuple[int, int]]:
    """Name to (bus, devfn): firmware numbers depth first, in devfn order, root by root.

    Functions of a VMD domain take part but are left out: the guest numbers those anew.
    """
    places: dict[str, tuple[int, int]] = {}

    def root_of(node: Node) -> str:
        return "root" if node.domain else node.on

    def number(parent: Node | None, root: str, bus: int, last: int) -> int:
        here = [n for n in board.nodes if n.kind != HIDDEN and n.parent is parent and
                (parent or root_of(n) == root)]
        for n in sorted(here, key=lambda n: devfn(n.real_at)):
            places[n.name] = (bus, devfn(n.at))
            if n.kind in BRIDGES:
                last = number(n, root, last + 1, last + 1)
        return last

    for name, first in board.buses.items():
        number(None, name, first, first)
    hidden = [n for n in board.nodes if n.domain]
    for n in board.nodes:
        if any(n.parent is h for h in hidden):
            hidden.append(n)
    return {k: v for k, v in places.items() if board.node(k) not in hidden}
