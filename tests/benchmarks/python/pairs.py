# SPDX-License-Identifier: Apache-2.0
"""Pairs of runs of the sample quickstart, one with the report and one without: what they print, and the ratio."""
import re

import figures

NAMES = ("eager", "graphed")  # that it prints the microseconds of


def figures_in(text):
    """By name the microseconds of a step, and the device."""
    device = re.search(r"^(\S+), microseconds a step$", text, re.MULTILINE)
    found = {name: float(number) for name, number in re.findall(r"^(\w+) +([0-9.]+)$", text, re.MULTILINE) if name in NAMES}
    if device is None or set(found) != set(NAMES):
        raise ValueError(f"no times of a step in: {text}")
    return device[1], found


def order(pair):
    """Whether the report is asked for, in the order of the two runs: what drifts is the same for both."""
    return (False, True) if pair % 2 == 0 else (True, False)


def summarize(pairs):
    """Of [(without, with)], each by name. A ratio is that within a pair. Eager steps have no report: their ratio shows the machine's noise."""
    made = {}
    for name in NAMES:
        without, reported = ([each[name] for each in runs] for runs in zip(*pairs, strict=True))
        ratio = figures.summary([b / a for a, b in zip(without, reported, strict=True)])
        made[name] = {"without_us": figures.summary(without), "with_us": figures.summary(reported), "ratio": ratio}
    return made
