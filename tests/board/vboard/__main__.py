# SPDX-License-Identifier: GPL-2.0-or-later
"""python3 -m vboard: see tools/board and tools/demo for people."""
from __future__ import annotations

import argparse
import os
import secrets
import shlex
import sys
from pathlib import Path

from . import boardfile, build, invoke, run

BOARDS = build.HERE / "boards"


def parse(argv: list[str]) -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="vboard", description="Boot a virtual board.")
    sub = p.add_subparsers(dest="what", required=True)
    sub.add_parser("list", help="name every board")
    sub.add_parser("build", help="build plugin, module, probes and initramfs")
    for name, text in (("shell", "boot to a shell"), ("run", "run a command in a board")):
        s = sub.add_parser(name, help=text)
        s.add_argument("--board", default="X670E", help="name, or path of a .board file")
        s.add_argument("-o", "--out", type=Path, help="folder for results; /out in the guest")
        s.add_argument("--seed", type=int, help="draw the same values again")
        s.add_argument("--timeout", type=float, default=600, help="seconds")
        s.add_argument("--code", choices=("kernel", "main", "jit", "all"), default="jit",
                       help="guest code whose device accesses are seen")
        s.add_argument("--realtime", action="store_true", help="real-time priority (root)")
        s.add_argument("--plain", action="store_true", help="QEMU's own functions, no module")
        s.add_argument("--quiet", action="store_true", help="job's output to console.log only")
        s.add_argument("--job", type=Path, help="shell script to run in the guest")
        s.add_argument("command", nargs=argparse.REMAINDER, help="command after --")
    return p.parse_args(argv)


def list_boards() -> int:
    for path in sorted(BOARDS.glob("*.board")):
        board = boardfile.load(path)
        print(f"{path.stem:10} {board.keys.get('title', '')}")
    return 0


def job_text(args: argparse.Namespace) -> str:
    if args.job:
        return f". {shlex.quote(str(args.job.resolve()))}"
    words = args.command[1:] if args.command[:1] == ["--"] else args.command
    return shlex.join(words) or ":"


def boot(args: argparse.Namespace) -> int:
    board = boardfile.load(boardfile.find(args.board, BOARDS))
    parts = build.build(out_folder())
    out = (args.out or Path.cwd() / f"pcielat-board-{board.name}").resolve()
    seed = args.seed if args.seed is not None else secrets.randbits(48)
    options = invoke.Options(out=out, job=job_text(args), seed=seed, timeout_s=args.timeout,
                          interactive=args.what == "shell", quiet=args.quiet, code=args.code,
                          plain=args.plain, realtime=args.realtime)
    if options.interactive:
        options.timeout_s = 24 * 3600
    return run.run(board, parts, options)


def out_folder() -> Path:
    return Path(os.environ.get("VBOARD_BUILD", build.REPO / "build/board"))


def main(argv: list[str]) -> int:
    args = parse(argv)
    try:
        if args.what == "list":
            return list_boards()
        if args.what == "build":
            build.build(out_folder())
            return 0
        return boot(args)
    except (boardfile.BoardError, build.MissingError) as e:
        print(f"virtual board: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
