# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a board, run one job in it, leave the results and truth.json in a folder."""
from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import facts, layout, memory, smbios, truth
from .boardfile import Board, draw_board
from .build import HERE, REPO, Parts
from .control import Control
from .machine import PLUMBING_SLOT, device_args
from .qmp import Qmp

KERNEL_ARGS = ("console=ttyS0 quiet panic=-1 pcie_aspm=force iomem=relaxed mitigations=off nokaslr "
               "tsc=reliable no_timer_check random.trust_cpu=on")
BEGIN, END = "@vb-begin", "@vb-end"
DIED = 125  # exit status when the guest ended without telling one


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


@dataclass
class Guest:
    board: Board
    seed: int
    shared: layout.Shared
    private: layout.Private
    qmp: Qmp | None = None
    status: int = DIED
    events: list[dict] = field(default_factory=list)
    marks: list[dict] = field(default_factory=list)


def job_script(options: Options, parts: Parts) -> str:
    shell = "setsid cttyhack sh" if options.interactive else f"({options.job}\n)"
    return f"""export HOME=/root TERM=${{TERM:-vt100}} VB_REPO={shlex.quote(str(REPO))}
export VB_PROBE={shlex.quote(str(parts.plugin.parent / 'vbprobe'))} {options.environment}
export PATH={shlex.quote(str(HERE / 'guest'))}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
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


def kernel_args(board: Board, options: Options, repo_share: bool) -> str:
    words = [KERNEL_ARGS, board.settings.get("kernel_args", ""),
             "vb_hide=" + ",".join(other_file_systems())]
    if repo_share:
        words.append(f"vb_repo={REPO}")
    if options.plain:
        words.append("vb_mode=plain")
    return " ".join(words)


def command_line(board: Board, parts: Parts, options: Options, rundir: Path, shared_fd: int,
                 private_fd: int) -> list[str]:
    share = shares(options.out)
    args = [parts.qemu, "-machine", "q35,hpet=off", "-accel", "tcg,thread=multi", "-cpu", "max",
            "-m", "1G", "-smp", board.settings.get("smp", "1"), "-nodefaults", "-no-user-config",
            "-display", "none", "-no-reboot",
            "-kernel", str(parts.kernel.image), "-initrd", str(parts.initrd),
            "-append", kernel_args(board, options, "repo" in " ".join(share)),
            "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
            "-chardev", f"socket,id=control,path={rundir}/control,server=on,wait=off",
            "-serial", "chardev:control",
            "-qmp", f"unix:{rundir}/qmp,server=on,wait=off",
            "-object", f"memory-backend-file,id=page,size={layout.SHARED_BYTES},"
                       f"mem-path=/proc/self/fd/{shared_fd},share=on",
            "-device", f"ivshmem-plain,memdev=page,addr={PLUMBING_SLOT}.7,multifunction=on",
            "-smbios", f"type=2,manufacturer={board.keys.get('vendor', 'pcielat')},"
                       f"product={board.keys.get('product', board.name)}",
            "-plugin", f"{parts.plugin},shared={shared_fd},private={private_fd}" +
            (",realtime=on" if options.realtime else "")]
    for i, blob in enumerate(smbios.structures(board)):
        path = rundir / f"slot{i}"
        path.write_bytes(blob)
        args += ["-smbios", f"file={path}"]
    return args + share + device_args(board)


def _priority() -> None:
    try:
        os.nice(-10)
    except PermissionError:
        pass


class Console(threading.Thread):
    """Copies the guest's console to a file, and the job's part of it to stdout."""

    def __init__(self, stream, path: Path, quiet: bool):
        super().__init__(daemon=True)
        self.stream, self.path, self.quiet = stream, path, quiet

    def run(self) -> None:
        inside = False
        with self.path.open("w") as log:
            for raw in self.stream:
                line = raw.decode(errors="replace").replace("\r", "")
                log.write(line)
                log.flush()
                if line.strip() in (BEGIN, END):
                    inside = line.strip() == BEGIN
                elif inside and not self.quiet:
                    sys.stdout.write(line)
                    sys.stdout.flush()


def _connect(path: Path, process: subprocess.Popen) -> socket.socket:
    s = socket.socket(socket.AF_UNIX)
    while process.poll() is None:
        try:
            s.connect(str(path))
            return s
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("QEMU ended at once")


def _serve(guest: Guest, control: Control, line_in: socket.socket) -> None:
    with line_in.makefile("rw", newline="\n") as f:
        for line in f:
            if not line.strip():
                continue
            f.write(control.obey(line) + "\n")
            f.flush()
            if guest.status != DIED:
                return


def _watch(process: subprocess.Popen, guest: Guest, rundir: Path, timeout_s: float) -> Control:
    control = Control(guest)
    timer = threading.Timer(timeout_s, process.kill)
    timer.daemon = True
    timer.start()
    try:
        line = _connect(rundir / "control", process)
        guest.qmp = Qmp(str(rundir / "qmp"))
        _serve(guest, control, line)
        if process.poll() is None:
            guest.qmp.command("quit")
    except (OSError, RuntimeError, ValueError) as e:
        print(f"virtual board: {e}", file=sys.stderr)
    finally:
        timer.cancel()
        for t in control.timers:
            t.cancel()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return control


def _start(args: list[str], parts: Parts, options: Options, fds: tuple[int, int]):
    env = os.environ | {"LD_PRELOAD": str(parts.plugin)}
    pipe = None if options.interactive else subprocess.PIPE
    process = subprocess.Popen(args, stdin=None if options.interactive else subprocess.DEVNULL,
                               stdout=pipe, env=env, pass_fds=fds, preexec_fn=_priority,
                               stderr=(options.out / "qemu.log").open("w"))
    if pipe:
        Console(process.stdout, options.out / "console.log", options.quiet).start()
    return process


def _explain(options: Options) -> None:
    for name in ("qemu.log", "console.log"):
        path = options.out / name
        if path.exists():
            tail = path.read_text(errors="replace").splitlines()[-12:]
            print(f"--- end of {name}", *tail, sep="\n", file=sys.stderr)


def run(board: Board, parts: Parts, options: Options) -> int:
    """Exit status of the job; 125 when the guest did not get that far."""
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / ".job").write_text(job_script(options, parts))
    draw_board(board, options.seed)
    shared, private = memory.shared(), memory.private()
    facts.fill_shared(board, shared.data)
    facts.fill_private(board, private.data)
    guest = Guest(board, options.seed, shared.data, private.data)
    rundir = Path(tempfile.mkdtemp(prefix="vboard-"))
    try:
        args = command_line(board, parts, options, rundir, shared.fd, private.fd)
        process = _start(args, parts, options, (shared.fd, private.fd))
        control = _watch(process, guest, rundir, options.timeout_s)
    finally:
        shutil.rmtree(rundir, ignore_errors=True)
        (options.out / ".job").unlink(missing_ok=True)
    record = truth.record(board, options.seed, shared.data, private.data, control.blocks)
    record |= {"events": guest.events, "marks": guest.marks, "job_status": guest.status}
    (options.out / "truth.json").write_text(json.dumps(record, indent=1) + "\n")
    if guest.status == DIED:
        print("virtual board: the guest ended before its job did", file=sys.stderr)
        _explain(options)
    return guest.status
