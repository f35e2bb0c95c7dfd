# SPDX-License-Identifier: Apache-2.0
"""What the bars make of a run's figures."""
import unittest

import bars
import figures


def run_of(cells, **more):
    """cells: (device, workload, peer) to a figure of two repetitions, or to why there is none."""
    rows = []
    for (device, workload, peer), value in cells.items():
        row = {"device": device, "workload": workload, "peer": peer, **dict.fromkeys(figures.FIGURES)}
        if isinstance(value, str):
            row["error"] = value
        else:
            row.update(dict.fromkeys(("host_us", "wall_us", "peak_bytes"), figures.summary(value)))
        rows.append(row)
    return bars.Run({"results": rows, **more})


def bar_of(run, what):
    found = [bar for bar in bars.bars(run) if bar.what == what]
    assert len(found) == 1, what
    return found[0]


MEMSETS = "launch with memset nodes, host, against the same graph without"
ALL = "C++ eager and hand-written graphs, wall, against graphed: lower bound"
MEMORY = "peak bytes, against make_graphed_callables"


class BarsTest(unittest.TestCase):
    def test_a_ratio_is_the_median_of_those_within_a_repetition(self):
        run = run_of({("cuda", "memsets-24", "launch"): [3, 8], ("cuda", "memsets-24", "without-memsets"): [3, 4]})
        bar = bar_of(run, MEMSETS)
        self.assertEqual((bar.value, bar.interval, bar.holds()), (1.5, (1, 2), True))
        self.assertEqual(bar.note, "5.50 us to 3.50 us")

    def test_a_ratio_of_peers_that_took_turns_is_the_median_of_those_within_a_round(self):
        run = run_of({("cuda", "memsets-24", "launch"): [2, 8], ("cuda", "memsets-24", "without-memsets"): [2, 4]})
        for peer, rounds in (("launch", [[2, 4, 2], None]), ("without-memsets", [[1, 2, 2], [7, 7, 7]])):
            run.rows["cuda", "memsets-24", peer]["host_us"]["rounds"] = rounds
        bar = bar_of(run, MEMSETS)
        self.assertEqual((bar.value, bar.interval), (2, (2, 2)))  # of 2, 2, 1 the median; and of no common rounds 8 / 4

    def test_a_ratio_beyond_its_bound_does_not_hold(self):
        run = run_of({("cuda", "memsets-24", "launch"): [8, 8], ("cuda", "memsets-24", "without-memsets"): [4, 4]})
        self.assertIs(bar_of(run, MEMSETS).holds(), False)

    def test_what_was_not_run_neither_holds_nor_fails(self):
        bar = bar_of(run_of({}), MEMSETS)
        self.assertEqual((bar.value, bar.holds(), bar.note), (None, None, ""))

    def test_what_failed_does_not_hold(self):
        run = run_of({("cuda", "memsets-24", "launch"): "crash", ("cuda", "memsets-24", "without-memsets"): [4, 4]})
        bar = bar_of(run, MEMSETS)
        self.assertEqual((bar.value, bar.holds(), bar.note), (None, False, "failed: memsets-24 (launch)"))

    def test_the_worst_of_all_is_a_lower_bound(self):
        run = run_of(
            {
                ("cuda", "chain-0", "plain"): [1, 1],
                ("cuda", "chain-0", "graphed"): [100, 100],
                ("cuda", "mlp-1", "plain"): [9, 12],
                ("cuda", "mlp-1", "handwritten"): [30, 30],
                ("cuda", "mlp-1", "graphed"): [10, 10],
            }
        )
        bar = bar_of(run, ALL)
        self.assertEqual((bar.value, bar.holds(), bar.note), (0.9, False, "mlp-1 (plain) is the worst of 2: mlp-1 (plain) 0.90"))

    def test_one_that_failed_among_many_that_hold_is_told(self):
        run = run_of({("cuda", name, peer): [2, 2] for name in ("mlp-1", "gru-20") for peer in ("plain", "graphed")})
        self.assertIs(bar_of(run, ALL).holds(), True)
        run.rows["cuda", "gru-20", "graphed"] = run_of({("cuda", "gru-20", "graphed"): "hung"}).rows["cuda", "gru-20", "graphed"]
        bar = bar_of(run, ALL)
        self.assertEqual((bar.value, bar.holds(), bar.note), (1, False, "mlp-1 (plain) is the worst of 1; failed: gru-20 (graphed)"))

    def test_memory_is_that_of_every_workload(self):
        run = run_of({("cuda", "chain-0", "graphed"): [3, 3], ("cuda", "chain-0", "make_graphed_callables"): [2, 2]})
        self.assertEqual((bar_of(run, MEMORY).value, bar_of(run, MEMORY).holds()), (1.5, False))

    def test_guards_are_in_microseconds(self):
        bar = bar_of(run_of({}, host_path_ns={"guards": figures.summary([100, 140])}), "guards of eight inputs, host")
        self.assertEqual((bar.value, bar.interval, bar.holds()), (0.12, (0.1, 0.14), True))


if __name__ == "__main__":
    unittest.main()
