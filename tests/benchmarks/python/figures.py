# SPDX-License-Identifier: Apache-2.0
"""Medians and ratios of repetitions, with 95 % intervals from the bootstrap (B. Efron, R. Tibshirani: An Introduction to the Bootstrap)."""
import random
import statistics

RESAMPLES = 2000
FIGURES = ("host_us", "wall_us", "gpu_us", "ready_us", "capture_us", "peak_bytes", "reserved_bytes")

PEERS = (  # as tables and plots order them
    "launch", "without-memsets", "graphed", "graphed-here", "in-one-call", "handwritten", "plain", "libtorch",
    "eager", "make_graphed_callables", "CudaGraphModule", "compile",
)  # fmt: skip


def resampled_medians(values):
    dice = random.Random(1)
    return sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(RESAMPLES))


def interval(values):
    """The 95 % interval of the median. Of one value, or of equal ones, there is nothing to resample."""
    if len(set(values)) == 1:
        return values[0], values[0]
    medians = resampled_medians(values)
    return medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES) - 1]


def summary(values, rounds=None):
    """Of one figure over the repetitions, some of which may be None; None where all are. `rounds`: of each repetition the samples of which
    its value is the median, or None where other peers have none of the same rounds."""
    there = [value for value in values if value is not None]
    if not there:
        return None
    low, high = interval(there)
    found = {"median": statistics.median(there), "low": low, "high": high, "values": values}
    return {**found, "rounds": rounds} if rounds and any(rounds) else found


def ratios_by_repetition(numerator, denominator):
    """Of two figures' summaries. Where both have rounds, these are the same ones: the median of the ratios within a round."""
    unpaired = [None] * len(numerator["values"])
    pairs = zip(numerator["values"], denominator["values"], numerator.get("rounds", unpaired), denominator.get("rounds", unpaired))
    for above, below, rounds_above, rounds_below in pairs:
        if rounds_above and rounds_below:
            yield statistics.median(a / b for a, b in zip(rounds_above, rounds_below, strict=True))
        elif above is not None and below:
            yield above / below


def ratio(numerator, denominator):
    """Of two figures' summaries: the median of the repetitions' ratios. None where no repetition has both."""
    if numerator is None or denominator is None:
        return None
    made = summary(list(ratios_by_repetition(numerator, denominator)))
    return made and {key: made[key] for key in ("median", "low", "high")}
