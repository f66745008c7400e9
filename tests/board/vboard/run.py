# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a board, run one job in it, leave the results and truth.json in a folder."""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import facts, layout, truth
from .boardfile import Board, draw_board
from .build import Parts
from .control import Control
from .invoke import BEGIN, END, Options, command_line, job_script
from .memory import Memories
from .qmp import Qmp

DIED = 125  # exit status when the guest ended without telling one


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


PR_SET_PDEATHSIG = 1


def _in_child() -> None:
    """QEMU ends with its launcher, and runs before other programs where that is allowed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with contextlib.suppress(PermissionError):
        os.nice(-10)


class Console(threading.Thread):
    """Copies the guest's console to a file, and the job's part of it to stdout."""

    def __init__(self, stream, path: Path, quiet: bool):
        super().__init__(daemon=True)
        self.stream, self.path, self.quiet = stream, path, quiet

    def run(self) -> None:
        inside = False
        with self.stream, self.path.open("w") as log:
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
        with _connect(rundir / "control", process) as line:
            guest.qmp = Qmp(str(rundir / "qmp"))
            _serve(guest, control, line)
            if process.poll() is None:
                guest.qmp.command("quit")
    except (OSError, RuntimeError, ValueError) as e:
        print(f"virtual board: {e}", file=sys.stderr)
    finally:
        if guest.qmp:
            guest.qmp.close()
        timer.cancel()
        for t in control.timers:
            t.cancel()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return control


def _start(args: list[str], parts: Parts, options: Options, fds: list[int]) -> subprocess.Popen:
    env = os.environ | {"LD_PRELOAD": str(parts.plugin)}
    pipe = None if options.interactive else subprocess.PIPE
    with (options.out / "qemu.log").open("w") as log:
        process = subprocess.Popen(
            args, stdin=None if options.interactive else subprocess.DEVNULL, stdout=pipe,
            stderr=log, env=env, pass_fds=fds, preexec_fn=_in_child)
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
    memories = Memories()
    facts.fill_shared(board, memories.shared)
    facts.fill_private(board, memories.private)
    guest = Guest(board, options.seed, memories.shared, memories.private)
    rundir = Path(tempfile.mkdtemp(prefix="vboard-"))
    try:
        args = command_line(board, parts, options, rundir, memories)
        process = _start(args, parts, options, list(memories.fds.values()))
        control = _watch(process, guest, rundir, options.timeout_s)
    finally:
        memories.close()
        shutil.rmtree(rundir, ignore_errors=True)
        (options.out / ".job").unlink(missing_ok=True)
    record = truth.record(board, options.seed, guest.shared, guest.private, control.blocks)
    record |= {"events": guest.events, "marks": guest.marks, "job_status": guest.status}
    (options.out / "truth.json").write_text(json.dumps(record, indent=1) + "\n")
    if guest.status == DIED:
        print("virtual board: the guest ended before its job did", file=sys.stderr)
        _explain(options)
    return guest.status
