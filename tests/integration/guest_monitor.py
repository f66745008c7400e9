#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pcielat monitor in the guest: it survives the removal of a drive and an unreadable block.
guest_monitor.py PCIELAT GUEST_FAULT [names]

With "names" it must also name the injected stall and the injected exit, and nothing on the quiet
drive. That part needs a machine with nothing else to do: it ends with 77 when the quiet drive
itself is noisy, and is no part of the tests for that reason.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
BUSY = 77
NAMES = """
watch M.2_1 --duration 45s --json=/out/stalls.json
watch M.2_2 --duration 45s --hold-links --json=/out/sleeps.json
watch M.2_3 --duration 20s --json=/out/quiet.json
"""
JOB = """
quiet=/dev/$(basename /sys/bus/pci/devices/0000:03:00.0/nvme/nvme*/nvme*n1)
watch() {{ {pcielat} monitor "$@" --progress never; }}
{names}
{fault} "$quiet" > /out/fault.txt 2>&1; echo $? >> /out/fault.txt
watch M.2_3 --duration 15s --json=/out/gone.json & watcher=$!
sleep 5
vb fault gone
wait $watcher; echo $? > /out/gone.rc
:
"""


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def check_stalls(document: dict) -> list[str]:
    period = document["period"]
    good = period["found"] and 4.5 < period["median_s"] < 5.5 and period["latency_ns"] > 15e6
    return [] if good else [f"the 20 ms stall every 5 s was not named: {period}"]


def check_sleeps(documents: list[dict], truth: dict) -> list[str]:
    wrong = []
    link = next(link for link in truth["links"] if link["name"] == "port1")
    for document, is_expected in zip(documents, (True, False, True)):
        step = document["gap_step"]
        if step["found"] != is_expected:
            wrong.append(f"{document['phase']}: step {step}, expected {is_expected}")
        elif is_expected and not (step["below_ns"] < link["l1_entry_ns"] + 20000
                                  and abs(step["step_ns"] / link["l1_exit_ns"] - 1) < 0.25):
            wrong.append(f"{document['phase']}: step {step}, truth {link['l1_exit_ns']} ns")
    return wrong


def check_quiet(document: dict) -> list[str]:
    named = [key for key in ("period", "gap_step") if document[key]["found"]]
    return [f"a quiet drive was said to have {key}: {document[key]}" for key in named]


def check_faults(out: Path) -> list[str]:
    wrong = []
    fault = (out / "fault.txt").read_text()
    if not fault.rstrip().endswith("\n0"):
        wrong.append(f"the unreadable block: {fault}")
    gone = read(out / "gone.json")[0]
    if len(gone["outages"]) != 1 or gone["outages"][0]["to_s"] is None:
        wrong.append(f"the removed drive: {gone['outages']}, {gone['failure']}")
    if (out / "gone.rc").read_text().strip() != "8":
        wrong.append("exit code of a watch with a removal is not 8")
    return wrong


def is_busy(document: dict) -> bool:
    return document["summary"]["p99_ns"] > 10 * document["summary"]["p50_ns"]


def check_names(out: Path, truth: dict) -> tuple[list[str], bool]:
    """What was named wrongly, and whether the machine was too busy to tell."""
    quiet = read(out / "quiet.json")[0]
    named = check_stalls(read(out / "stalls.json")[0]) + check_quiet(quiet)
    return named + check_sleeps(read(out / "sleeps.json"), truth), is_busy(quiet)


def main(pcielat: str, fault: str, mode: str = "faults") -> int:
    with tempfile.TemporaryDirectory(prefix="pl-guest-monitor-") as folder:
        out = Path(folder)
        job = out / "job.sh"
        job.write_text(JOB.format(pcielat=pcielat, fault=fault,
                                  names=NAMES if mode == "names" else ""))
        subprocess.run([TOP / "tools/board", "run", "--board", HERE / "monitor.board", "-o", out,
                        "--job", job, "--timeout", "400"], check=False)
        truth = json.loads((out / "truth.json").read_text())
        wrong = check_faults(out)
        named, busy = check_names(out, truth) if mode == "names" else ([], False)
    if any(d["wr_operations"] or d["flush_operations"] or d["unmap_operations"]
           for d in truth["drives"]):
        wrong.append("a drive saw a write, a flush or an unmap")
    print("\n".join(wrong + named) or f"monitor: {mode} as they should be")
    if wrong or not named:
        return 1 if wrong else 0
    return BUSY if busy else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
