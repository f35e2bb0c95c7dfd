# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import unittest

import host_to_host

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"


def printed(scale, graphed=20.0):
    """A run in which the quantiles of all ways are these times the scale, but graphed's median."""
    ways = {way: {"p50": 40 * scale, "p99": 50 * scale, "p999": 60 * scale, "calls": 300} for way in host_to_host.WAYS}
    ways["graphed"]["p50"] = graphed * scale
    return json.dumps({"workload": "a policy", "microseconds": ways}) + "\n"


class HostToHost(unittest.TestCase):
    def test_times_are_read(self):
        found = host_to_host.figures_in(f"a warning\n{printed(1)}")
        self.assertEqual(found["microseconds"]["graphed"], {"p50": 20, "p99": 50, "p999": 60, "calls": 300})

    def test_a_run_without_each_way_is_none(self):
        for text in ("", "{}", printed(1) * 2, printed(1).replace('"eager"', '"other"')):
            self.assertRaises(ValueError, host_to_host.figures_in, text)

    def test_a_ratio_is_that_within_a_run(self):
        made = host_to_host.summarize([host_to_host.figures_in(printed(scale)) for scale in (1, 2, 100)])
        ratio = made["p50_ratios"]["graphed over handwritten"]
        self.assertEqual({ratio[key] for key in ("median", "low", "high")}, {0.5})
        self.assertEqual(made["microseconds"]["graphed"]["p50"]["values"], [20, 40, 2000])
        self.assertEqual(made["microseconds"]["graphed"]["calls"], 900)

    def test_bars_name_what_is_asked(self):
        made = host_to_host.summarize([host_to_host.figures_in(printed(1, graphed)) for graphed in (20, 25, 40)])
        self.assertEqual(
            host_to_host.bars(made),
            {"graphed over launch-and-synchronize": (0.625, 1.25), "graphed over handwritten": (0.625, 0.6), "graphed, p99 over p50": (2, 1.3)},
        )

    def test_the_page_shows_the_recorded_run(self):
        recorded = json.loads((DOCS / "results" / "host-to-host-h100.json").read_text())
        self.assertIn("\n" + host_to_host.table(recorded) + "\n", (DOCS / "how-to/host-to-host.md").read_text())
        self.assertIn(recorded["commit"][:8], (DOCS / "how-to/host-to-host.md").read_text())


if __name__ == "__main__":
    unittest.main()
