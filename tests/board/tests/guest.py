# SPDX-License-Identifier: GPL-2.0-or-later
"""Booting a board from a test: where things are, and one call that runs a job."""
from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import board_truth
from vboard import boardfile, build, invoke, run

BOARDS = build.HERE / "boards"
JOBS = build.HERE / "jobs"
BUILD = Path(os.environ.get("VBOARD_BUILD", build.REPO / "build/board"))
LOCK = Path(tempfile.gettempdir()) / "pcielat-guest.lock"


@dataclass
class Result:
    out: Path
    status: int
    truth: dict
    wall_s: float

    def lines(self, name: str) -> list[str]:
        return (self.out / name).read_text().splitlines()

    def samples(self, name: str = "samples.jsonl") -> list[dict]:
        return [json.loads(line) for line in self.lines(name)]

    def bdf(self, name: str) -> str:
        return next(f["bdf"] for f in self.truth["functions"] if f["name"] == name)

    def link(self, name: str) -> dict:
        return board_truth.link(self.truth, name)

    def drive(self, name: str) -> dict:
        return next(x for x in self.truth["drives"] if x["name"] == name)

    def mark(self, label: str) -> dict:
        return next(m for m in self.truth["marks"] if m["label"] == label)


def boot(board: str, job: str, *, seed: int | None = None, env: str = "", realtime: bool = False,
         timeout_s: float = 280, out: Path | None = None) -> Result:
    """Run shell text `job` in a board. One guest at a time on this machine."""
    parts = build.build(BUILD)
    out = out or Path(tempfile.mkdtemp(prefix="vboard-test-"))
    options = invoke.Options(out=out, job=job, seed=secrets.randbits(48) if seed is None else seed,
                          timeout_s=timeout_s, quiet=True, environment=env, realtime=realtime)
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        start = time.monotonic()
        status = run.run(boardfile.load(boardfile.find(board, BOARDS)), parts, options)
    if any("init:" in line for line in (out / "console.log").read_text().splitlines()):
        raise RuntimeError(f"the guest could not set itself up, see {out}/console.log")
    truth = json.loads((out / "truth.json").read_text())
    return Result(out, status, truth, time.monotonic() - start)


def job_file(name: str) -> str:
    return f". '{JOBS / name}'"


def clean(result: Result) -> None:
    shutil.rmtree(result.out, ignore_errors=True)


def fail(words: str) -> int:
    print(f"FAILED: {words}", file=sys.stderr)
    return 1
