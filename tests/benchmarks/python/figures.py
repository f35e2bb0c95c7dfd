# SPDX-License-Identifier: Apache-2.0
"""Medians and ratios of repetitions, with 95 % intervals from the bootstrap (B. Efron, R. Tibshirani: An Introduction to the Bootstrap)."""
import random
import statistics

RESAMPLES = 2000
FIGURES = ("host_us", "wall_us", "gpu_us", "ready_us", "capture_us", "peak_bytes", "reserved_bytes")

PEERS = (  # as tables and plots order them
    "launch", "without-memsets", "graphed", "graphed-here", "handwritten", "plain", "libtorch",
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


def summary(values):
    """Of one figure over the repetitions, some of which may be None; None where all are."""
    there = [value for value in values if value is not None]
    if not there:
        return None
    low, high = interval(there)
    return {"median": statistics.median(there), "low": low, "high": high, "values": values}


def ratio(numerator, denominator):
    """Of two figures' summaries: the median of the ratios within a repetition. None where no repetition has both."""
    if numerator is None or denominator is None:
        return None
    pairs = zip(numerator["values"], denominator["values"])
    made = summary([a / b for a, b in pairs if a is not None and b])
    return made and {key: made[key] for key in ("median", "low", "high")}
