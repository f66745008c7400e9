# SPDX-License-Identifier: GPL-2.0-or-later
"""The board judged by a prober of its own: hops and exits come back as inserted.

Prints every effect with its floor. What is too noisy to judge is measured again;
if it still is after the last boot, the test fails: it does not skip.
"""
from __future__ import annotations

import sys

import guest
import judge

HOPS, EXITS = ("h5", "h20", "h50"), ("e10", "e30", "e100")
KINDS = ("bar", "cfg", "nvme")
NVME_FROM_NS = 20000
ZERO_LIMIT_NS = {"bar": 500, "cfg": 500, "nvme": 2000}  # a tenth of the smallest effect judged
BOOTS = 4


def effects(samples: judge.Samples, truth: judge.Truth, kind: str) -> list[judge.Effect]:
    return ([judge.hop(samples, truth, v, kind) for v in HOPS] +
            [judge.exit(samples, truth, v, kind) for v in EXITS])


def counts(e: judge.Effect) -> bool:
    return e.kind != "nvme" or int(e.name.split()[1]) * 1000 >= NVME_FROM_NS


def zero_ok(samples: judge.Samples, truth: judge.Truth, kind: str) -> bool:
    """Nothing injected: the record says so, and the prober sees no hop."""
    got = judge.zero(samples, kind)
    inserted = truth.total("zero", "uplink", kind)["sum_ns"]
    ok = inserted == 0 and abs(got) <= ZERO_LIMIT_NS[kind]
    print(f"{kind:5} hop zero  true    0.000 us  measured {got / 1e3:8.3f} us  "
          f"{'ok' if ok else 'WRONG'}")
    return ok


class Kind:
    """All that has been measured of one kind of access so far."""

    def __init__(self, name: str):
        self.name = name
        self.samples = judge.Samples(name)
        self.left: list[judge.Effect] = []
        self.wrong: list[judge.Effect] = []

    def add(self, result: guest.Result) -> None:
        self.samples.add(result.out / "samples.jsonl")
        truth = judge.Truth(result.truth)
        found = effects(self.samples, truth, self.name)
        for e in found:
            print(f"{e.kind:5} {e.name:9} off against off: {e.floor_ns / 1e3:.3f} us")
        for e in found:
            print(e.row() if counts(e) else e.row() + " (shown, not judged)")
        judged = [e for e in found if counts(e)]
        self.left = [e for e in judged if not e.judged]
        self.wrong = [e for e in judged if e.judged and e.error > judge.TOLERANCE]
        self.zero = zero_ok(self.samples, truth, self.name)

    @property
    def done(self) -> bool:
        return not self.left and not self.wrong and self.zero


def main() -> int:
    kinds = [Kind(k) for k in KINDS]
    for number in range(BOOTS):
        todo = [k for k in kinds if not number or not k.done]
        if not todo:
            break
        result = guest.boot("selftest", guest.job_file("selftest.sh"), realtime=True,
                            env=f"VB_KINDS='{' '.join(k.name for k in todo)}' "
                                f"VB_REPS={5 if number == 0 else 8}")
        if result.status:
            return guest.fail(f"the guest job ended with {result.status}, see {result.out}")
        print(f"boot {number + 1}: {result.wall_s:.1f} s, "
              f"{result.truth['early_completions']} early completions")
        for k in todo:
            k.add(result)
        guest.clean(result)
    bad = [e.row() for k in kinds for e in k.left + k.wrong]
    bad += [f"{k.name}: zero is not zero" for k in kinds if not k.zero]
    return guest.fail("\n".join(["not recovered within 5 %:"] + bad)) if bad else 0


if __name__ == "__main__":
    sys.exit(main())
