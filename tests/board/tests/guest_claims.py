# SPDX-License-Identifier: GPL-2.0-or-later
"""pcielat's claims about links against what the board inserted: values drawn anew and hidden.

X670E, both chips: exits, entry timers and chains of the release build, with L1 alone and with L0s
as well; the negative control; no hop between different drives. A board without latencies gets no
claim and prints its limits; a link whose register lies is said to exceed it.
"""
from __future__ import annotations

import json
import sys
import unittest

import attempts
import board_truth
import guest
from vboard import build

PROGRAM = build.REPO / "build/release/pcielat"
OPTIONS = "--allow-virtual --progress never"
DONE = (0, 8)  # 8: done, some results marked as doubtful, as on a busy host
WITHOUT_L0S = "for f in /sys/bus/pci/devices/*/link/l0s_aspm; do echo 0 >$f; done 2>/dev/null"
SLOTS = {"M.2_1": ("cpu_m2",), "M.2_2": ("uplink", "p1_00"), "M.2_3": ("uplink", "p1_08", "p2_00")}
FLOOR_NS = 1000  # of idle times: what the guest's own software around an access takes
SWITCH_NS = 1000  # a switch starts waking the next link within 1 us
ROWS: list[str] = []


class Run:
    """One results directory: claims and series of slots by the name of the board's manual."""

    def __init__(self, path, truth: dict):
        self.results = json.loads((path / "results.json").read_text())
        self.text = (path / "text").read_text()
        self.links = {x["name"]: x for x in truth["links"]}
        self.keys = {s["label"]: s["key"] for s in self.results["slots"]}
        self.devices = {s["key"]: s["device"]["bdf"] for s in self.results["slots"] if s["device"]}

    def effects(self, kind: str, label: str | None, probe: str, state: str) -> list[dict]:
        """Claims from accesses to the device itself."""
        key = self.keys[label] if label else None
        return [e for e in self.results["effects"]
                if e["effect"] == kind and e["probe"] == probe and e["state"] == state and
                (not label or e["slot"] == key) and
                e["function"] in (None, self.devices.get(e["slot"]))]

    def one(self, kind: str, label: str, probe: str, state: str = "as_found") -> dict:
        found = self.effects(kind, label, probe, state)
        if len(found) != 1:
            raise ValueError(f"{len(found)} claims {kind} {label} {probe} {state}")
        return found[0]

    def series(self, label: str, probe: str, state: str) -> dict[int, dict]:
        return {m["conditions"]["gap_ns"]: m for m in self.results["measurements"]
                if m["slot"] == self.keys[label] and m["probe"] == probe and m["valid"] and
                m["conditions"]["state"] == state and m["conditions"]["idle"] != "slept" and
                m["device"] == self.devices[m["slot"]]}


def boot(board: str, commands: list[str]) -> tuple[guest.Result, list[Run]]:
    """Each command line of pcielat into a directory of its own; @ stands for the program."""
    lines = ["mkdir -p " + " ".join(f"/out/{i}" for i in range(len(commands)))]
    for i, command in enumerate(commands):
        setup, _, arguments = command.rpartition("@")
        lines.append(f"{setup or 'true'}; {PROGRAM}{arguments} {OPTIONS} -o /out/{i} "
                     f">/out/{i}/text 2>&1; echo $? >/out/{i}/status")
    result = guest.boot(board, "\n".join(lines), realtime=True)
    runs = []
    for i in range(len(commands)):
        status = int((result.out / str(i) / "status").read_text())
        if status not in DONE:
            raise RuntimeError(f"{commands[i]} ended with {status}, see {result.out}/{i}")
        runs.append(Run(result.out / str(i), result.truth))
    guest.clean(result)
    return result, runs


def asleep(links: list[dict], idle_ns: float, l0s: bool) -> float:
    """What waking the path costs after this idle time: the slowest link, each switch 1 us later."""
    entered, cost = 0, []
    for link in reversed(links):  # a switch lets its uplink sleep when all below it does
        entered += link["l1_entry_ns"]
        if idle_ns >= entered:
            cost.append(link["l1_exit_ns"])
        else:
            cost.append(link["l0s_exit_ns"] if l0s and idle_ns >= link["l0s_entry_ns"] else 0)
    return max(c + i * SWITCH_NS if c else 0 for i, c in enumerate(reversed(cost)))


def entries(links: list[dict], l0s: bool) -> list[float]:
    """Idle times at which the cost of waking changes."""
    times, entered = [], 0
    for link in reversed(links):
        entered += link["l1_entry_ns"]
        times.append(entered)
    times += [x["l0s_entry_ns"] for x in links if l0s]
    return sorted({t for t in times if asleep(links, t, l0s) != asleep(links, t - 1, l0s)})


def is_close(effect: dict, true_ns: float) -> bool:
    """Within 5 %, or the claim's own interval holds the truth (and is no excuse: see below)."""
    return (abs(effect["estimate_ns"] - true_ns) <= 0.05 * true_ns or
            effect["ci95_low_ns"] <= true_ns <= effect["ci95_high_ns"])


def is_sharp(effect: dict) -> bool:
    """An interval wider than a quarter of what it measures proves nothing."""
    return (effect["ci95_high_ns"] - effect["ci95_low_ns"]) / 2 <= 0.25 * effect["estimate_ns"]


def tell(what: str, effect: dict, true_ns: float) -> None:
    row = (f"| {what} | {true_ns / 1e3:.2f} | {effect['estimate_ns'] / 1e3:.2f} | "
           f"{effect['ci95_low_ns'] / 1e3:.2f}–{effect['ci95_high_ns'] / 1e3:.2f} | "
           f"{100 * (effect['estimate_ns'] / true_ns - 1):+.1f} % |")
    ROWS.append(row)
    print(row)


class X670E(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise RuntimeError(f"{PROGRAM} is missing: build the release preset first")
        cls.r, runs = boot("X670E", [
            "@ run --slot M.2_3 --slot M.2_1 --probe bar",
            f"{WITHOUT_L0S} @ --all-slots --quick",
            "@ run --slot M.2_3 --slot M.2_1 --probe bar"])
        cls.l0s, cls.quick, cls.default = runs
        print(f"{cls.r.wall_s:.0f} s")

    def path(self, label: str) -> list[dict]:
        return [self.r.link(name) for name in SLOTS[label]]

    def judge(self, what: str, effect: dict, true_ns: float) -> None:
        tell(what, effect, true_ns)
        self.assertEqual(effect["status"], "resolved", effect["sentence"])
        self.assertTrue(is_close(effect, true_ns), f"{true_ns} ns: {effect['sentence']}")
        self.assertTrue(is_sharp(effect), effect["sentence"])

    @attempts.measured
    def test_exits_of_links_and_chains(self):
        for run, name in ((self.quick, "quick"), (self.default, "default")):
            for label in SLOTS:
                if run is self.default and label == "M.2_2":
                    continue
                with self.subTest(f"{name} {label}"):
                    true_ns = asleep(self.path(label), 1e9, False)
                    self.judge(f"exit, {label}, BAR, {name}", run.one("exit", label, "bar"),
                               true_ns)

    @attempts.measured
    def test_exits_by_configuration_reads(self):
        """Noisier: a system call. The truth must be in the interval or near the estimate."""
        for label in SLOTS:
            with self.subTest(label):
                e = self.quick.one("exit", label, "config")
                true_ns = asleep(self.path(label), 1e9, False)
                tell(f"exit, {label}, config, quick", e, true_ns)
                self.assertTrue(is_close(e, true_ns), f"{true_ns} ns: {e['sentence']}")

    @attempts.measured
    def test_entry_timers(self):
        """Each bracket holds a time at which the cost changes, the largest change has one."""
        cases = [(self.quick, x, False) for x in SLOTS]
        cases += [(run, x, run is self.l0s) for x in ("M.2_1", "M.2_3")
                  for run in (self.default, self.l0s)]
        for run, label, l0s in cases:
            links = self.path(label)
            times = entries(links, l0s)
            sizes = [asleep(links, t, l0s) - asleep(links, t - 1, l0s) for t in times]
            with self.subTest(f"{label} l0s={l0s}"):
                brackets = [(0.95 * e["ci95_low_ns"] - FLOOR_NS,
                             1.05 * e["ci95_high_ns"] + FLOOR_NS)
                            for e in run.effects("entry_timer", label, "bar", "as_found")
                            if e["status"] == "resolved"]
                print(f"entry {label} l0s={l0s}: true {times} brackets {brackets}")
                for low, high in brackets:
                    self.assertTrue(any(low <= t <= high for t in times), f"{times} {low} {high}")
                largest = times[sizes.index(max(sizes))]
                self.assertTrue(any(low <= largest <= high for low, high in brackets),
                                f"{largest} is in none of {brackets}")

    @attempts.measured
    def test_l0s_is_a_step_of_its_own(self):
        """One link, L0s and L1: two steps, the exit counted from the link awake."""
        links = self.path("M.2_1")
        found = [e for e in self.l0s.effects("entry_timer", "M.2_1", "bar", "as_found")
                 if e["status"] == "resolved"]
        self.assertEqual(len(found), 2, [e["sentence"] for e in found])
        self.judge("exit, M.2_1, L0s and L1, BAR", self.l0s.one("exit", "M.2_1", "bar"),
                   asleep(links, 1e9, True))

    @attempts.measured
    def test_hop_of_two_chips(self):
        crossing = [sum(x["hop_ns"] for x in self.path(label)) for label in ("M.2_3", "M.2_1")]
        self.judge("hop, M.2_3 against M.2_1, BAR", self.quick.one("hop", "M.2_3", "bar", "off"),
                   crossing[0] - crossing[1])

    def test_different_drives_get_no_hop(self):
        hops = [e for e in self.quick.effects("hop", "M.2_2", "nvme", "off") +
                self.quick.effects("hop", "M.2_2", "bar", "off")]
        self.assertTrue(hops)
        for e in hops:
            self.assertEqual((e["status"], e["estimate_ns"]), ("not_made", None))
            self.assertIn("different", e["reason"])
        self.assertIn("not attributable", self.quick.text)

    @attempts.measured
    def test_negative_control_equals_off(self):
        """A switch may not sleep above a link that is awake: nothing may be left of the exits."""
        off, control = (self.default.series("M.2_3", "bar", s) for s in ("off", "uplink_only"))
        true_ns = asleep(self.path("M.2_3"), 1e9, False)
        self.assertEqual(set(off), set(control))
        for gap in off:
            self.assertLess(abs(control[gap]["p50_ns"] - off[gap]["p50_ns"]), 0.1 * true_ns, gap)
        codes = [w["code"] for w in self.default.results["warnings"]]
        self.assertNotIn("W-CONTROL-UPLINK", codes)
        self.assertNotIn("W-CONTROL-OFF", codes)

    @attempts.measured
    def test_l0s_of_the_uplinks_is_why_it_does_not(self):
        said = [w["message"] for w in self.l0s.results["warnings"]
                if w["code"] == "W-CONTROL-UPLINK"]
        self.assertEqual(len(said), 1, said)
        self.assertIn("may enter L0s by themselves", said[0])

    def test_sentences_are_those_of_a_verdict(self):
        self.assertRegex(self.quick.text, r"Waking the link of M\.2_3 from L1 \(as found\)\s+adds")
        self.assertIn("VIRTUAL MACHINE", self.quick.text)

    def test_no_drive_was_written(self):
        self.assertEqual(board_truth.written(self.r.truth), [])


class Zero(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.r, (cls.run_,) = boot("zero", ["@ --all-slots --quick"])

    @attempts.measured
    def test_nothing_is_claimed(self):
        found = [e["sentence"] for e in self.run_.results["effects"]
                 if e["effect"] in ("exit", "entry_timer", "exit_in_command", "tail") and
                 e["status"] == "resolved"]
        self.assertEqual(found, [])

    @attempts.measured
    def test_limits_are_printed(self):
        limits = [e for e in self.run_.results["effects"]
                  if e["effect"] == "exit" and e["status"] == "not_resolved"]
        self.assertGreater(len(limits), 3)
        for e in limits:
            self.assertGreater(e["detection_limit_ns"], 0)
            self.assertIn("would have been seen", e["sentence"])
        self.assertIn("would have seen", self.run_.text)
        sharpest = min(e["detection_limit_ns"] for e in limits)
        print(f"zero: sharpest limit {sharpest:.0f} ns")
        self.assertLess(sharpest, 5000)


class Lies(unittest.TestCase):
    """Says 1..2 us in its register and takes 90."""

    @classmethod
    def setUpClass(cls):
        cls.r, (cls.run_,) = boot("faults", ["@ --all-slots --quick --probe bar,config"])

    def verdict(self, name: str) -> dict:
        bdf = self.r.bdf(name)
        key = next(k for k, b in self.run_.devices.items() if b == bdf)
        return next(e for e in self.run_.results["effects"]
                    if e["effect"] == "exit" and e["slot"] == key and e["probe"] == "bar")

    @attempts.measured
    def test_the_liar_exceeds(self):
        e = self.verdict("liar_d")
        tell("exit, link that says 1–2 µs, BAR", e, 90000)
        self.assertTrue(is_close(e, 90000), e["sentence"])
        self.assertEqual(e["advertised_verdict"], "exceeds", e["sentence"])
        self.assertIn("exceeds", e["sentence"])

    @attempts.measured
    def test_an_honest_link_does_not(self):
        e = self.verdict("far")
        self.assertEqual(e["advertised_verdict"], "within", e["sentence"])

    def test_a_link_that_ignores_its_files_gets_no_claim(self):
        bdf = self.r.bdf("deaf")
        key = next(k for k, b in self.run_.devices.items() if b == bdf)
        self.assertEqual([e for e in self.run_.results["effects"] if e["slot"] == key and
                          e["effect"] == "exit" and e["status"] == "resolved"], [])


if __name__ == "__main__":
    code = attempts.main()
    print("\n".join(ROWS))
    sys.exit(code)
