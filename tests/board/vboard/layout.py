# SPDX-License-Identifier: GPL-2.0-or-later
"""ctypes mirror of include/vb_shared.h and include/vb_private.h."""
from ctypes import Structure, c_uint8, c_uint16, c_uint32, c_uint64

NODES, RANGES, WRITES, BARS = 96, 64, 4096, 6
NO_PARENT, NOT_A_FUNCTION = 0xFFFF, 0xFFFE
SHARED_MAGIC, PRIVATE_MAGIC = 0x31424256, 0x31505642
SHARED_BYTES = 256 * 1024
ONES_BYTES = 64 * 1024

NODE_EXPRESS, NODE_LNKCTL_STUCK, NODE_DEAD = 1, 2, 4
NODE_SET_CLASS, NODE_SET_SUBSYSTEM = 8, 16
LINK_NEVER_SLEEPS, LINK_ALWAYS_SLEEPS = 1, 2
CODE = {"kernel": 0, "main": 1, "jit": 2, "all": 3}
KINDS = ("config", "bar", "nvme")
REGISTERS = ("LnkCtl", "L1SSCTL1")


class Node(Structure):
    _fields_ = [
        ("parent", c_uint16), ("real_bus", c_uint16), ("real_devfn", c_uint8),
        ("devfn", c_uint8), ("root_bus", c_uint16), ("domain", c_uint32),
        ("vendor", c_uint16), ("device", c_uint16), ("class_rev", c_uint32),
        ("sub_vendor", c_uint16), ("sub_device", c_uint16), ("flags", c_uint32),
        ("lnkcap", c_uint32), ("lnksta", c_uint16), ("lnkctl0", c_uint16),
        ("l1sscap", c_uint32), ("l1ssctl0", c_uint32),
        ("present", c_uint32), ("bus", c_uint16), ("type", c_uint16), ("ecam", c_uint32),
        ("lnkctl", c_uint32), ("l1ssctl1", c_uint32),
        ("bar", c_uint64 * BARS), ("bar_size", c_uint64 * BARS),
    ]


class Range(Structure):
    _fields_ = [("start", c_uint64), ("end", c_uint64)]


class Write(Structure):
    _fields_ = [("time_ns", c_uint64), ("node", c_uint16), ("reg", c_uint16), ("value", c_uint32)]


class Shared(Structure):
    _fields_ = [
        ("magic", c_uint32), ("nodes_n", c_uint32), ("code", c_uint32), ("cf8", c_uint32),
        ("vmd_node", c_uint32), ("pad0", c_uint32), ("ready", c_uint32), ("ranges_n", c_uint32),
        ("ranges", Range * RANGES), ("nodes", Node * NODES),
        ("writes_n", c_uint32), ("pad", c_uint32), ("writes", Write * WRITES),
    ]


class Link(Structure):
    _fields_ = [(name, c_uint64) for name in (
        "hop_ns", "l0s_entry_ns", "l0s_exit_ns", "l1_entry_ns", "l1_exit_ns", "l11_exit_ns",
        "l12_entry_ns", "l12_exit_ns", "wake_period_ns", "flags")]


class Device(Structure):
    _fields_ = [(name, c_uint64) for name in (
        "config_ns", "media_ns", "sleep_idle_ns", "sleep_exit_ns", "stall_period_ns", "stall_ns",
        "stall_once_ns")]


class Counter(Structure):
    _fields_ = [(name, c_uint64) for name in ("n", "sum_ns", "exits", "exit_ns")]


class Private(Structure):
    _fields_ = [
        ("magic", c_uint32), ("overlap", c_uint32), ("usp_rule", c_uint32),
        ("crossings", c_uint32), ("a0", c_uint32), ("pad", c_uint32), ("hot_ns", c_uint64),
        ("via", c_uint16 * NODES),
        ("link", Link * NODES), ("device", Device * NODES),
        ("link_count", (Counter * len(KINDS)) * NODES),
        ("device_count", (Counter * len(KINDS)) * NODES),
        ("io_n", c_uint64), ("other_n", c_uint64), ("early_n", c_uint64),
    ]


ALL = {"vb_node": Node, "vb_range": Range, "vb_write": Write, "vb_shared": Shared,
       "vb_link": Link, "vb_device": Device, "vb_counter": Counter, "vb_private": Private}
