"""Writes reference.json: what SciPy, statsmodels and exact fractions say about made-up results.

`cargo xtask statistics` runs it, with the packages in requirements.txt, and compares what it writes with the file here.

The values in the file are the libraries' own; nothing here repeats a formula of the crate, except where a library has
none: pass@k and pass^k count every choice in whole numbers, and the sign-flip test of more than 16 differences counts
every sum of signs in whole numbers. Random choices come from a seed, so the same versions write the same file.
"""

import json
import random
import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

RANDOM = random.Random(23)


def attempts(tasks, repeats):
    """Solved attempts at each task, from easy tasks to hard ones."""
    return [sum(RANDOM.random() < RANDOM.betavariate(1, 1) for _ in range(repeats)) for _ in range(tasks)]


def estimates():
    """The t interval of task means by SciPy, and by statsmodels as a regression on a constant, clustered by task."""
    for tasks, repeats in [(2, 1), (2, 5), (3, 4), (5, 3), (24, 1), (24, 5), (50, 5), (125, 10), (1000, 5)]:
        solved = attempts(tasks, repeats)
        if len(set(solved)) == 1:
            solved[0] = (solved[0] + 1) % (repeats + 1)
        means = [count / repeats for count in solved]
        test = stats.ttest_1samp(means, 0.0)
        interval = test.confidence_interval(0.95)
        outcomes = [int(attempt < count) for count in solved for attempt in range(repeats)]
        groups = [task for task in range(tasks) for _ in range(repeats)]
        clustered = sm.OLS(outcomes, np.ones(len(outcomes))).fit(
            cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
        )
        low, high = clustered.conf_int()[0]
        yield {
            "repeats": repeats,
            "solved": solved,
            "mean": float(np.mean(means)),
            "low": float(interval.low),
            "high": float(interval.high),
            "clustered_low": float(low),
            "clustered_high": float(high),
        }


def wilson():
    for trials in [1, 2, 5, 24, 50, 1000]:
        for solved in sorted({0, 1, trials // 3, trials // 2, trials - 1, trials}):
            low, high = proportion_confint(solved, trials, method="wilson")
            yield {"solved": solved, "trials": trials, "low": float(low), "high": float(high)}


def passes():
    cases = [(1, 0, 1), (1, 1, 1), (5, 0, 3), (5, 1, 1), (5, 2, 3), (5, 3, 3), (5, 5, 5), (10, 3, 2), (200, 7, 100)]
    cases += [(10000, 1, 1), (10000, 1, 10000), (10000, 3, 7), (10000, 5000, 10), (10000, 9990, 100)]
    cases += [(10000, 20, 5000), (10000, 9999, 9999), (9999, 4321, 1234), (10000, 10000, 10000)]
    for n, c, k in cases:
        at = 1 - Fraction(comb(n - c, k), comb(n, k))
        hat = Fraction(comb(c, k), comb(n, k))
        yield {"n": n, "c": c, "k": k, "pass_at_k": float(at), "pass_hat_k": float(hat)}


def sign_flips():
    """Differences in fourths are exact in binary, so that SciPy's comparison of sums is exact."""
    for tasks in [2, 5, 8, 12, 16]:
        for _ in range(3):
            fourths = [RANDOM.randint(-4, 4) for _ in range(tasks)]
            values = np.array(fourths) / 4
            p = 1.0
            if any(fourths):
                test = stats.permutation_test(
                    (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
                )
                p = float(test.pvalue)
            yield {"unit": 4, "differences": fourths, "p": p}
    for tasks in [6, 10, 14]:
        fifths = [RANDOM.randint(-3, 5) for _ in range(tasks)]
        observed = abs(sum(fifths))
        sums = [abs(sum(s * d for s, d in zip(signs, fifths))) for signs in product([1, -1], repeat=tasks)]
        yield {"unit": 5, "differences": fifths, "p": sum(s >= observed for s in sums) / len(sums)}


def long_sign_flips():
    for tasks, shift in [(24, 0), (24, 1), (50, 0), (50, 1), (200, 0)]:
        fifths = [RANDOM.randint(-5 + shift, 5) for _ in range(tasks)]
        sums = Counter({0: 1})
        for difference in fifths:
            nxt = Counter()
            for total, ways in sums.items():
                nxt[total + difference] += ways
                nxt[total - difference] += ways
            sums = nxt
        observed = abs(sum(fifths))
        far = sum(ways for total, ways in sums.items() if abs(total) >= observed)
        yield {"unit": 5, "differences": fifths, "p": float(Fraction(far, 2**tasks))}


def drawn_sign_flips():
    """Differences without a common unit, for which the crate draws signs, and SciPy tries all."""
    for shift in [0.0, 0.1, 0.2, 0.3]:
        values = [RANDOM.uniform(-0.8, 0.8) + shift for _ in range(16)]
        test = stats.permutation_test(
            (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
        )
        yield {"differences": values, "p": float(test.pvalue)}


def paired():
    for tasks, repeats in [(2, 2), (6, 1), (24, 5), (50, 5), (300, 3)]:
        first, second = attempts(tasks, repeats), attempts(tasks, repeats)
        if len({a - b for a, b in zip(first, second)}) == 1:
            first[0] = (first[0] + 1) % (repeats + 1)
        test = stats.ttest_rel([a / repeats for a in first], [b / repeats for b in second])
        interval = test.confidence_interval(0.95)
        mean = float(Fraction(sum(first) - sum(second), repeats * tasks))
        yield {
            "repeats": repeats,
            "first": first,
            "second": second,
            "mean": mean,
            "low": float(interval.low),
            "high": float(interval.high),
        }


def holm():
    cases = [[0.5], [0.01, 0.04], [0.04, 0.01, 0.03], [0.02] * 4, [0.0, 1.0, 0.3]]
    cases.append([RANDOM.random() ** 3 for _ in range(190)])
    for p_values in cases:
        adjusted = multipletests(p_values, method="holm")[1]
        yield {"p": p_values, "adjusted": [float(p) for p in adjusted]}


def powers():
    """The two quantiles of the smallest difference by SciPy, and the exact power at that difference by statsmodels."""
    for tasks in [6, 8, 12, 24, 50, 125, 1000]:
        for alpha in [0.05, 0.05 / 3, 0.05 / 45]:
            if 2.0 ** (1 - tasks) > alpha:
                continue
            quantiles = stats.t.ppf([1 - alpha / 2, 0.8], tasks - 1)
            effect = float(sum(quantiles)) / tasks**0.5
            exact = TTestPower().power(effect, tasks, alpha)
            yield {"tasks": tasks, "pairs": round(0.05 / alpha), "effect": effect, "exact_power": float(exact)}


def main():
    reference = {
        "estimates": list(estimates()),
        "wilson": list(wilson()),
        "passes": list(passes()),
        "sign_flips": list(sign_flips()),
        "long_sign_flips": list(long_sign_flips()),
        "drawn_sign_flips": list(drawn_sign_flips()),
        "paired": list(paired()),
        "holm": list(holm()),
        "powers": list(powers()),
    }
    with open(sys.argv[1], "w") as file:
        file.write("{\n")
        parts = []
        for name, cases in reference.items():
            lines = ",\n".join("  " + json.dumps(case) for case in cases)
            parts.append(f' "{name}": [\n{lines}\n ]')
        file.write(",\n".join(parts) + "\n}\n")


main()
