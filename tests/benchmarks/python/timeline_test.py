# SPDX-License-Identifier: Apache-2.0
"""What is reported of collectives, of traces written here."""
import json
import pathlib
import tempfile
import unittest

from timeline import collectives


def event(launch, start, end, name="gemm", category="kernel"):
    return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": end - start, "args": {"correlation": launch}}


class TimelineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def trace(self, *events):
        path = pathlib.Path(self.folder.name) / str(len(list(pathlib.Path(self.folder.name).iterdir())))
        path.write_text(json.dumps({"traceEvents": [{"ph": "M", "name": "process_name"}, *events]}))
        return path

    def test_what_runs_beside_is_counted_once(self):
        path = self.trace(event(7, 100, 200, "ncclAllReduce"), event(7, 90, 110), event(7, 105, 120), event(7, 130, 140, "Memset", "gpu_memset"),
                          event(7, 190, 260), event(7, 300, 400))
        self.assertEqual(collectives([path]), [(100, 60)])  # 100 to 120, 130 to 140, 190 to 200 are covered

    def test_collectives_do_not_cover_one_another(self):
        path = self.trace(event(7, 0, 10, "ncclOne"), event(7, 5, 25, "ncclOther"), event(7, 20, 30))
        self.assertEqual(collectives([path]), [(10, 10), (20, 15)])

    def test_other_launches_and_the_host_do_not_count(self):
        path = self.trace(event(7, 0, 10, "ncclOne"), event(7, 20, 30), event(8, 0, 10), event(9, 0, 10, "cudaGraphLaunch", "cuda_runtime"))
        self.assertEqual(collectives([path]), [(10, 10)])

    def test_the_rank_that_waits_does_not_count(self):
        waits = self.trace(event(7, 0, 50, "ncclOne"), event(7, 0, 50), event(7, 100, 110, "ncclOther"))
        comes_late = self.trace(event(3, 1040, 1050, "ncclOne"), event(3, 1100, 1140, "ncclOther"), event(3, 1100, 1120))
        self.assertEqual(collectives([waits, comes_late]), [(10, 10), (10, 10)])

    def test_of_replays_the_median_is_told(self):
        path = self.trace(*(each for launch, time in ((1, 10), (2, 90), (3, 20)) for each in
                            (event(launch, 1000 * launch, 1000 * launch + time, "ncclOne"), event(launch, 1000 * launch, 1000 * launch + 4))))
        self.assertEqual(collectives([path]), [(20, 16)])

    def test_traces_that_do_not_fit_tell_nothing(self):
        one = self.trace(event(7, 0, 10, "ncclOne"))
        two = self.trace(event(7, 0, 10, "ncclOne"), event(8, 20, 30, "ncclOne"))
        self.assertEqual(collectives([one, two]), [])
        self.assertEqual(collectives([self.trace(event(7, 0, 10))]), [])


if __name__ == "__main__":
    unittest.main()
