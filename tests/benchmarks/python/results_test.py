# SPDX-License-Identifier: Apache-2.0
"""What the file of a run says of its answers."""
import json
import pathlib
import tempfile
import unittest

from results import Results


class ResultsTest(unittest.TestCase):
    def setUp(self):
        self.results = Results({"commit": "c", "versions": {"torch": "2"}})

    def add(self, peer, answer):
        self.results.add("cuda", "mlp-1", "inference", peer, answer)

    def written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "results.json")
            self.results.write(path)
            return json.loads(path.read_text())

    def row(self, peer):
        return next(row for row in self.written()["results"] if row["peer"] == peer)

    def test_a_value_is_the_median_of_its_rounds(self):
        self.add("graphed", {"host_us": [5, 1, 3], "gpu_us": None, "peak_bytes": 64})
        self.add("graphed", {"host_us": [4, 8, 6], "gpu_us": None, "peak_bytes": 32})
        row = self.row("graphed")
        self.assertEqual(row["host_us"], {"median": 4.5, "low": 3, "high": 6, "values": [3, 6], "rounds": [[5, 1, 3], [4, 8, 6]]})
        self.assertEqual(row["peak_bytes"], {"median": 48, "low": 32, "high": 64, "values": [64, 32]})
        self.assertIsNone(row["gpu_us"])

    def test_a_peer_without_rounds_has_values_alone(self):
        self.add("eager", {"host_us": 7.5})
        self.assertEqual(self.row("eager")["host_us"], {"median": 7.5, "low": 7.5, "high": 7.5, "values": [7.5]})

    def test_a_failure_leaves_its_repetition_empty(self):
        self.add("graphed", {"error": "crash"})
        self.add("graphed", {"host_us": [1, 2, 3]})
        row = self.row("graphed")
        self.assertEqual((row["error"], row["host_us"]["values"], row["host_us"]["rounds"]), ("crash", [None, 2], [None, [1, 2, 3]]))

    def test_a_ratio_is_made_within_rounds(self):
        self.add("graphed", {"host_us": [1, 2, 4]})
        self.add("launch", {"host_us": [3, 4, 4]})  # 3, 2 and 1 of it, where the medians are 2 of it
        self.add("plain", {"host_us": [8, 8, 8]})  # 8, 4 and 2
        self.add("eager", {"host_us": 10})  # five times the median
        ratios = {each["peer"]: each["median"] for each in self.written()["ratios"]}
        self.assertEqual(ratios, {"launch": 2, "plain": 4, "eager": 5})

    def test_what_was_described_comes_first(self):
        self.assertEqual(self.written(), {"commit": "c", "versions": {"torch": "2"}, "results": [], "ratios": []})


if __name__ == "__main__":
    unittest.main()
