# SPDX-License-Identifier: GPL-2.0-or-later
"""From the prober's samples and the board's record to effects, floors and verdicts.

An effect is paired within a repetition and its median taken over repetitions.
The floor is what the same pairing gives where nothing was injected. An effect
whose floor exceeds a tenth of it is not judged: that run proves nothing.
"""
from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path

TOLERANCE = 0.05
FLOOR_SHARE = 0.10


PLACES = {"01:00.0": "near", "nvme0": "near", "04:00.0": "far", "nvme1": "far"}


@dataclass
class Effect:
    name: str
    kind: str
    got: list[float]  # one a repetition
    true_ns: float
    floors: list[float]

    @property
    def got_ns(self) -> float:
        return statistics.median(self.got)

    @property
    def floor_ns(self) -> float:
        """Median size of what no injection looks like."""
        return statistics.median(map(abs, self.floors))

    @property
    def error(self) -> float:
        return abs(self.got_ns - self.true_ns) / self.true_ns

    @property
    def unsure_ns(self) -> float:
        """Twice the standard error of the median, from the median absolute deviation."""
        spread = statistics.median(abs(g - self.got_ns) for g in self.got)
        return 2 * 1.86 * spread / len(self.got) ** 0.5

    @property
    def judged(self) -> bool:
        return (self.floor_ns <= FLOOR_SHARE * self.true_ns and
                self.unsure_ns <= TOLERANCE * self.true_ns)

    @property
    def verdict(self) -> str:
        if not self.judged:
            return "refused: too noisy to judge"
        return "ok" if self.error <= TOLERANCE else "WRONG"

    def row(self) -> str:
        return (f"{self.kind:5} {self.name:9} true {self.true_ns / 1e3:8.3f} us  measured "
                f"{self.got_ns / 1e3:8.3f} +- {self.unsure_ns / 1e3:6.3f} us  "
                f"{100 * self.error:5.1f} %  floor {self.floor_ns / 1e3:6.3f} us  "
                f"n {len(self.got)}  {self.verdict}")


class Samples:
    """Lower quartiles by (variant, state, repetition, kind, place, gap), in order.

    The lower quartile and not the median: what a neighbour on the host adds has one sign.
    """

    def __init__(self, kind: str):
        self.kind = kind
        self.low: dict[tuple, list[float]] = {}
        self.reps = 0

    def add(self, path: Path) -> None:
        """Append one run's file; its repetitions count on from those before."""
        before = self.reps
        for line in path.read_text().splitlines():
            s = json.loads(line)
            if s["kind"] != self.kind:
                continue
            if s["errors"]:
                raise ValueError(f"{s['tag']}: {s['errors']} failed reads")
            variant, state, rep = s["tag"].split()
            place = next(v for k, v in PLACES.items() if k in s["path"])
            number = before + int(rep)
            self.reps = max(self.reps, number)
            key = (variant, state, number, s["kind"], place, s["gap_us"])
            self.low.setdefault(key, []).append(s["p25_ns"])

    def at(self, variant: str, state: str, rep: int, kind: str, place: str, gap: int) -> list:
        return self.low[(variant, state, rep, kind, place, gap)]


class Truth:
    """What was inserted per access while a variant was in force."""

    def __init__(self, record: dict):
        self.record = record
        before = None
        self.spans: dict[str, list[tuple[dict, dict]]] = {}
        for mark in self.record["marks"]:
            if before:
                self.spans.setdefault(mark["label"], []).append((before, mark))
            before = mark

    def total(self, variant: str, link: str, kind: str) -> dict[str, int]:
        kind = {"cfg": "config", "cfg0": "config"}.get(kind, kind)
        out = {"n": 0, "sum_ns": 0, "exits": 0, "exit_ns": 0}
        for a, b in self.spans[variant]:
            for key in out:
                out[key] += b["links"][link][kind][key] - a["links"][link][kind][key]
        return out

    def hop(self, variant: str, link: str, kind: str) -> float:
        t = self.total(variant, link, kind)
        return (t["sum_ns"] - t["exit_ns"]) / t["n"]

    def exit(self, variant: str, link: str, kind: str) -> float:
        t = self.total(variant, link, kind)
        return t["exit_ns"] / t["exits"]


def hop(s: Samples, t: Truth, variant: str, kind: str) -> Effect:
    """Far drive minus near drive, beyond the same difference with nothing injected."""
    got, floor = [], []
    for rep in range(1, s.reps + 1):
        def step(v: str) -> list[float]:
            return [f - n for f, n in zip(s.at(v, "off", rep, kind, "far", 0),
                                          s.at(v, "off", rep, kind, "near", 0))]
        zero = step("zero")
        got.append(step(variant)[0] - statistics.mean(zero))
        floor.append(zero[-1] - zero[0])
    return Effect(f"hop {variant[1:]}", kind, got, t.hop(variant, "uplink", kind), floor)


def exit(s: Samples, t: Truth, variant: str, kind: str) -> Effect:
    """Beyond the entry timer minus below it, L1 on minus off, on the same drive."""
    got, floor = [], []
    for rep in range(1, s.reps + 1):
        def step(state: str) -> list[float]:
            return [a - b for a, b in zip(s.at(variant, state, rep, kind, "near", 150),
                                          s.at(variant, state, rep, kind, "near", 5))]
        off = step("off")
        got.append(step("L1")[0] - statistics.mean(off))
        floor.append(off[-1] - off[0])
    return Effect(f"exit {variant[1:]}", kind, got, t.exit(variant, "direct", kind), floor)


def zero(s: Samples, kind: str) -> float:
    """The step between the two drives where nothing is injected."""
    steps = [f - n for rep in range(1, s.reps + 1)
             for f, n in zip(s.at("zero", "off", rep, kind, "far", 0),
                             s.at("zero", "off", rep, kind, "near", 0))]
    return statistics.median(steps)
