# SPDX-License-Identifier: GPL-2.0-or-later
"""A session: one drive moved over three slots of the board, BOOTS boots each.

Every step is a boot of its own; the session's folder stays on the host. In between the program is
killed, the power is cut while it measures, and files are left torn. Then the BIOS changes.
guest_session.py [BOOTS]: 3 unless given; 1 takes five boots and claims "within one boot".
"""
from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import attempts
import board_truth
import guest
from vboard import build

PROGRAM = build.REPO / "build/release/pcielat"
BOOTS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 3
SLOTS = (("M.2_1", "cpu_m2"), ("M.2_2", "p1_00"), ("M.2_3", "p2_00"))
WAY = {"M.2_2": ("uplink", "p1_00"), "M.2_3": ("uplink", "p1_08", "p2_00")}
CARD_BDF = "0000:01:00.0"  # in M.2_1
NEXT = (f"{PROGRAM} next /out/session --quick --probe nvme --no-gaps --allow-virtual "
        "--progress never --color never")
BEGIN = f" --device {CARD_BDF} --boots {BOOTS}" + "".join(f" --slot {s}" for s, _ in SLOTS)
DONE, DOUBTFUL, MISMATCH, MOVE_CARD, KILLED = 0, 8, 6, 10, 137
FINISHED = (DONE, DOUBTFUL)  # 8: on a busy host


class Bench:
    """The board, and what the reviewer does with it."""

    def __init__(self):
        self.out = Path(tempfile.mkdtemp(prefix="vboard-session-"))
        self.text = (guest.BOARDS / "session.board").read_text()
        self.said: list[str] = []
        self.truth: dict = {}

    def boot(self, port: str, job: str, bios: str = "1.10") -> int:
        """One boot with the card below `port`; what the job printed goes to self.said."""
        board = self.out / "now.board"
        card = re.sub(r"^(nvme +card +on=)\S+", rf"\g<1>{port}", self.text, flags=re.M)
        board.write_text(card.replace("bios=1.10", f"bios={bios}"))
        r = guest.boot(str(board), f"({job}) >/out/said.txt 2>&1 </dev/null", seed=20261130,
                       out=self.out, realtime=True)
        self.truth = r.truth
        self.said.append((self.out / "said.txt").read_text())
        return r.status

    def journal(self) -> list[str]:
        text = (self.out / "session/journal").read_text()
        return [line for line in text.split("\n")[:-1] if line.startswith("done ")]

    def results(self) -> dict:
        return json.loads((self.out / "session/results.json").read_text())


def play(bench: Bench) -> dict:
    """The whole story; what happened, for the tests."""
    codes, lines = [], []
    for number, (label, port) in enumerate(SLOTS):
        for boot in range(BOOTS):
            first = number == 0 and boot == 0
            if label == "M.2_2" and boot == 0:
                cut(bench, port)
            job = NEXT + (BEGIN if first else "")
            if label == "M.2_3" and boot == 0:
                job = killed(job)
            codes.append(bench.boot(port, job))
            lines.append(len(bench.journal()))
    again = bench.boot(SLOTS[-1][1], NEXT)
    changed = bench.boot(SLOTS[-1][1], NEXT, bios="1.20")
    allowed = bench.boot(SLOTS[-1][1], NEXT + " --allow-change bios", bios="1.20")
    return {"codes": codes, "lines": lines, "again": again, "changed": changed,
            "allowed": allowed}


def killed(job: str) -> str:
    """kill -9 in the middle of measuring, then the same step once more, in the same boot."""
    return (f"{job} & victim=$!; while [ ! -d /out/session/runs ]; do sleep 0.1; done; "
            f"sleep 1.5; kill -9 $victim; wait $victim; echo killed $?; {job}")


def cut(bench: Bench, port: str) -> None:
    """The power fails while a step is measured; the file system tears what was written last."""
    before = bench.journal()
    status = bench.boot(port, f"(sleep 2; echo b >/proc/sysrq-trigger) & {NEXT}")
    assert status == guest.run.DIED, f"the guest ended with {status} in spite of the power cut"
    assert bench.journal() == before, "a step that was cut short counts as done"
    with (bench.out / "session/journal").open("a") as journal:
        journal.write(before[-1][:-9])
    torn = bench.out / "session/runs" / f"{len(before) + 1:04}"
    torn.mkdir(exist_ok=True)
    (torn / "results.json").write_text('{"schema": "pcielat.result", "schema_ver')


class Session(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: build the release preset first")
        cls.bench = Bench()
        cls.got = play(cls.bench)
        cls.results = cls.bench.results()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.bench.out, ignore_errors=True)

    def hops(self) -> list[dict]:
        return [e for e in self.results["effects"] if e["effect"] == "hop" and e["state"] == "off"]

    def test_the_exit_codes_are_10_until_the_last_step(self):
        codes = self.got["codes"]
        print("exit codes:", *codes, "then", self.got["again"], self.got["changed"])
        self.assertEqual(codes[:-1], [MOVE_CARD] * (len(codes) - 1))
        self.assertIn(codes[-1], FINISHED)

    def test_every_boot_adds_one_step_and_nothing_is_lost(self):
        self.assertEqual(self.got["lines"], list(range(1, 3 * BOOTS + 1)))
        self.assertIn(f"killed {KILLED}", "\n".join(self.bench.said))

    def test_it_says_where_the_card_belongs(self):
        said = "\n".join(self.bench.said)
        for here, there in (("M.2_1", "M.2_2"), ("M.2_2", "M.2_3")):
            self.assertRegex(said, rf"is in {re.escape(here)}: power off, move it to "
                                   rf"{re.escape(there)}, boot, and run: pcielat next")

    def test_a_finished_session_measures_nothing_more(self):
        self.assertIn(self.got["again"], FINISHED)
        self.assertEqual(len(self.bench.journal()), 3 * BOOTS)

    def test_a_bios_change_is_refused_and_may_be_allowed(self):
        self.assertEqual(self.got["changed"], MISMATCH)
        self.assertIn("the bios changed since the session began (1.10, now 1.20)",
                      self.bench.said[-2])
        self.assertIn(self.got["allowed"], FINISHED)

    def test_one_report_of_all_boots(self):
        self.assertEqual(len(self.results["session"]["boots"]), 3 * BOOTS)
        measured = {m["slot"] for m in self.results["measurements"] if m["n"]}
        labels = {s["label"] for s in self.results["slots"] if s["key"] in measured}
        self.assertEqual(labels, {label for label, _ in SLOTS})
        page = (self.bench.out / "session/report.html").read_text()
        self.assertIn("same drive", page)

    @attempts.measured
    def test_the_hops_use_boots_and_follow_what_was_inserted(self):
        labels = {s["key"]: s["label"] for s in self.results["slots"]}
        self.assertEqual({labels[e["slot"]] for e in self.hops()}, set(WAY))
        near = self.inserted(("cpu_m2",))
        for e in self.hops():
            label = labels[e["slot"]]
            truth = self.inserted(WAY[label]) - near
            print(f"{label}: {truth} ns inserted, {e['estimate_ns']:.0f} ns "
                  f"[{e['ci95_low_ns']:.0f}, {e['ci95_high_ns']:.0f}], n {e['n']} "
                  f"{e['unit_of_n']}")
            with self.subTest(label):
                self.assertEqual(e["reference_class"], "same_unit")
                self.assertEqual(e["unit_of_n"], "boots" if BOOTS >= 3 else "blocks")
                self.assertEqual("ithin one boot" in e["sentence"], BOOTS < 3)
                self.assertTrue(abs(e["estimate_ns"] - truth) <= 0.1 * truth + 1000 or
                                e["ci95_low_ns"] <= truth <= e["ci95_high_ns"], e["sentence"])

    def inserted(self, way: tuple[str, ...]) -> int:
        """What the path adds to one command, ns: the same seed draws the same in every boot."""
        links = {link["name"]: link for link in self.bench.truth["links"]}
        return self.bench.truth["crossings"] * sum(links[name]["hop_ns"] for name in way)

    def test_no_drive_was_written(self):
        self.assertEqual(board_truth.written(self.bench.truth), [])


if __name__ == "__main__":
    sys.exit(attempts.main())
