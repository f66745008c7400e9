#!/usr/bin/env python3
"""core/stats against scipy: check_scipy.py PRINT_STATS. Exit 77 where there is no scipy."""
import json
import subprocess
import sys

try:
    import numpy
    from scipy import integrate, special, stats
except ImportError:
    print("no scipy: python3-scipy is not installed")
    sys.exit(77)


def near(ours, theirs, tolerance=1e-9):
    return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))


def check_interval(r, result, mean):
    ci = result.confidence_interval(0.95) if hasattr(result, "confidence_interval") else None
    ok = near(r["mean"], mean) and near(r["p"], result.pvalue, 1e-8)
    if ci is not None:
        ok = ok and near(r["low"], ci.low, 2e-4) and near(r["high"], ci.high, 2e-4)
    return ok


def holm(p):
    order = sorted(range(len(p)), key=lambda i: p[i])
    out, running = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, p[i] * (len(p) - rank)))
        out[i] = running
    return out


def check_ranks(r):
    n, p = r["n"], r["p"]
    lower = stats.binom.cdf(r["lower"] - 1, n, p) if r["lower"] else 0.0
    upper = stats.binom.cdf(r["upper"] - 1, n, p) if r["upper"] <= n else 1.0
    tight = stats.binom.cdf(r["lower"], n, p) > 0.025 and (
        r["upper"] > n or stats.binom.cdf(r["upper"] - 2, n, p) < 0.975)
    return lower <= 0.025 + 1e-12 and upper >= 0.975 - 1e-12 and tight and near(
        r["coverage"], upper - lower)


def check_step(r):
    """All sign patterns of the rounds, the largest weighted contrast of each."""
    values = numpy.array(r["a"]).reshape(-1, r["gaps"])
    n, gaps = values.shape
    rows = numpy.stack([numpy.sqrt(k * (gaps - k) / gaps) * (
        values[:, k:].mean(axis=1) - values[:, :k].mean(axis=1)) for k in range(1, gaps)], axis=1)
    signs = 1 - 2 * ((numpy.arange(2**n)[:, None] >> numpy.arange(n)) & 1)
    largest = abs(signs @ rows).max(axis=1)
    return near(r["p"], (largest >= largest[0] * (1 - 1e-9)).mean())


def check_bracket(r):
    """The share of sums below each end: a place per decade, a part of the slack."""
    place = stats.loguniform(r["a"], r["b"])

    def share(x):
        if not r["slack"]:
            return place.cdf(x)
        kinks = [p for p in (x - r["a"], x - r["b"]) if 0 < p < r["slack"]]
        return integrate.quad(lambda h: place.cdf(x - h), 0, r["slack"],
                              points=kinks or None)[0] / r["slack"]

    tail = (1 - r["level"]) / 2
    return near(share(r["low"]), tail, 1e-6) and near(share(r["high"]), 1 - tail, 1e-6)


def check_limit(r):
    """
    Power at a limit of a run like this one. Exactly: both errors are drawn from the same chi
    square, so the limit is error * c and the power P(T' > t) averages over the first error.
    """
    t = stats.t.ppf(1 - r["alpha"] / 2, r["df"])
    plain = t + stats.t.ppf(0.95, r["df"]) * numpy.sqrt(1 + t * t / r["df"])

    def power(x):
        return stats.nct.sf(t, r["df"], r["value"] * numpy.sqrt(x / r["df"])) * stats.chi2.pdf(
            x, r["df"])

    mean = integrate.quad(power, 0, stats.chi2.ppf(1 - 1e-9, r["df"]), limit=200)[0]
    return near(r["value"], plain, 1e-7) and 0.9 <= mean <= 0.95


CHECKS = {
    "beta": lambda r: near(r["value"], special.betainc(r["a"], r["b"], r["x"]), 1e-10),
    "t_cdf": lambda r: near(r["value"], stats.t.cdf(r["x"], r["df"]), 1e-10),
    "t_ppf": lambda r: near(r["value"], stats.t.ppf(r["x"], r["df"]), 1e-8),
    "t95": lambda r: near(r["value"], stats.t.ppf(0.975, r["df"]), 1e-4),
    "binom": lambda r: near(r["value"], stats.binom.cdf(r["k"], r["n"], r["p"]), 1e-9),
    "paired": lambda r: check_interval(
        r, stats.ttest_rel(r["a"], r["b"]), sum(r["a"]) / len(r["a"]) - sum(r["b"]) / len(r["b"])),
    "groups": lambda r: check_interval(
        r, stats.ttest_ind(r["a"], r["b"]), sum(r["a"]) / len(r["a"]) - sum(r["b"]) / len(r["b"])),
    "holm": lambda r: all(near(x, y) for x, y in zip(r["b"], holm(r["a"]))),
    "ranks": check_ranks,
    "step": check_step,
    "bracket": check_bracket,
    "limit": check_limit,
}

rows = [json.loads(line) for line in subprocess.run(
    [sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()]
bad = [r for r in rows if not CHECKS[r["what"]](r)]
for r in bad[:10]:
    print("differs from scipy:", r)
print(f"{len(rows)} values, {len(bad)} differ")
missing = set(CHECKS) - {r["what"] for r in rows}
if missing:
    print("nothing to compare for", ", ".join(sorted(missing)))
sys.exit(1 if bad or missing or not rows else 0)
