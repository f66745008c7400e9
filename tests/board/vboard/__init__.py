# SPDX-License-Identifier: GPL-2.0-or-later
"""The virtual board: a QEMU guest whose PCIe latencies are known."""
