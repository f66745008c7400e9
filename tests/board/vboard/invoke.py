# SPDX-License-Identifier: GPL-2.0-or-later
"""How QEMU is called, and the script the guest runs."""
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from . import layout, smbios
from .boardfile import Board
from .build import HERE, REPO, Parts
from .machine import PLUMBING_SLOT, device_args
from .memory import Memories

KERNEL_ARGS = ("console=ttyS0 quiet panic=-1 iomem=relaxed mitigations=off nokaslr "
               "tsc=reliable no_timer_check random.trust_cpu=on")
BEGIN, END = "@vb-begin", "@vb-end"


@dataclass
class Options:
    out: Path
    job: str  # shell text
    seed: int
    timeout_s: float = 600
    interactive: bool = False
    quiet: bool = False  # keep the job's output to console.log
    code: str = "jit"
    environment: str = ""  # NAME=value words for the job
    realtime: bool = False  # vCPU and main loop before everything else (root)
    plain: bool = False  # no guest module: QEMU's own functions


def job_script(options: Options, parts: Parts) -> str:
    shell = "setsid busybox cttyhack bash --norc" if options.interactive else f"({options.job}\n)"
    return f"""export HOME=/root TERM=${{TERM:-vt100}} VB_REPO={shlex.quote(str(REPO))}
export VB_PROBE={shlex.quote(str(parts.folder / 'vbprobe'))}
export VB_CHASE={shlex.quote(str(parts.folder / 'vbchase'))} {options.environment}
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH={shlex.quote(str(HERE / 'guest'))}:$PATH
cd /out
vb code {options.code}
vb start
echo {BEGIN}
{shell}
status=$?
echo {END}
vb exit $status
sleep 60
"""


def shares(out: Path) -> list[str]:
    """The host's root without its other file systems (/proc, /sys, /dev), and the results.

    Leaving those out is what keeps the drawn values from the guest: they live
    in anonymous memory that only /proc would show.
    """
    folders = [("host", Path("/"), True), ("out", out, False)]
    if os.stat(REPO).st_dev != os.stat("/").st_dev:
        folders.append(("repo", REPO, True))
    args = []
    for fn, (tag, path, readonly) in enumerate(folders):
        args += ["-fsdev", f"local,id={tag},path={path},security_model=none,multidevs=forbid" +
                 (",readonly=on" if readonly else ""),
                 "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag},multifunction=on,"
                            f"addr={PLUMBING_SLOT}.{fn}"]
    return args


def other_file_systems() -> list[str]:
    """Top-level folders that the root share leaves out."""
    root = os.stat("/").st_dev
    return [p.name for p in sorted(Path("/").iterdir())
            if p.is_dir() and not p.is_symlink() and os.stat(p).st_dev != root]


def kernel_args(board: Board, parts: Parts, options: Options, repo_share: bool) -> str:
    # QEMU's ACPI tables leave ASPM to the firmware: the kernel has to be told otherwise.
    words = [KERNEL_ARGS, board.settings.get("kernel_args", "pcie_aspm=force"),
             f"tsc_early_khz={parts.tsc_khz()}", "vb_hide=" + ",".join(other_file_systems())]
    if repo_share:
        words.append(f"vb_repo={REPO}")
    if options.plain:
        words.append("vb_mode=plain")
    return " ".join(words)


def _page(name: str, fd: int, size: int, function: int) -> list[str]:
    return ["-object", f"memory-backend-file,id={name},size={size},mem-path=/proc/self/fd/{fd},"
                       "share=on",
            "-device", f"ivshmem-plain,memdev={name},addr={PLUMBING_SLOT}.{function},"
                       "multifunction=on"]


def _pages(board: Board, memories: Memories) -> list[str]:
    args = _page("page", memories.fds["shared"], layout.SHARED_BYTES, 7)
    if any(f["kind"] == "dead" for f in board.faults.values()):
        args += _page("ones", memories.fds["ones"], layout.ONES_BYTES, 6)
    return args


def _smbios(board: Board, rundir: Path) -> list[str]:
    args = ["-smbios", f"type=2,manufacturer={board.keys.get('vendor', 'pcielat')},"
                       f"product={board.keys.get('product', 'VIRTUAL ' + board.name.upper())}"]
    if "bios" in board.keys:
        args += ["-smbios", f"type=0,version={board.keys['bios']}"]
    for i, blob in enumerate(smbios.structures(board)):
        path = rundir / f"slot{i}"
        path.write_bytes(blob)
        args += ["-smbios", f"file={path}"]
    return args


def _plugin(parts: Parts, options: Options, memories: Memories) -> list[str]:
    text = f"{parts.plugin},shared={memories.fds['shared']},private={memories.fds['private']}"
    return ["-plugin", text + (",realtime=on" if options.realtime else "")]


def command_line(board: Board, parts: Parts, options: Options, rundir: Path,
                 memories: Memories) -> list[str]:
    share = shares(options.out)
    return [parts.qemu, "-machine", "q35,hpet=off", "-accel", "tcg,thread=multi", "-cpu", "max",
            "-m", "1G", "-smp", board.settings.get("smp", "1"), "-nodefaults", "-no-user-config",
            "-display", "none", "-no-reboot",
            "-kernel", str(parts.kernel.image), "-initrd", str(parts.initrd),
            "-append", kernel_args(board, parts, options, "tag=repo" in " ".join(share)),
            "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
            "-chardev", f"socket,id=control,path={rundir}/control,server=on,wait=off",
            "-serial", "chardev:control",
            "-qmp", f"unix:{rundir}/qmp,server=on,wait=off",
            *_pages(board, memories), *_plugin(parts, options, memories),
            *_smbios(board, rundir), *share, *device_args(board)]
