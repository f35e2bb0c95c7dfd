# SPDX-License-Identifier: Apache-2.0
import unittest

import pairs

PRINTED = """cuda, microseconds a step
eager      300.5
graphed     60.2
speed-up     5.0x
bits equal: yes
"""


class Pairs(unittest.TestCase):
    def test_times_and_the_device_are_read(self):
        self.assertEqual(pairs.figures_in(PRINTED), ("cuda", {"eager": 300.5, "graphed": 60.2}))

    def test_a_run_without_times_is_none(self):
        for text in ("", PRINTED.replace("graphed", "graph"), PRINTED.replace("cuda, ", "")):
            self.assertRaises(ValueError, pairs.figures_in, text)

    def test_each_way_begins_as_often(self):
        begins = [pairs.order(pair)[0] for pair in range(10)]
        self.assertEqual(begins.count(True), begins.count(False))
        self.assertTrue(all(sorted(pairs.order(pair)) == [False, True] for pair in range(3)))

    def test_a_ratio_is_that_within_a_pair(self):
        made = pairs.summarize([({"eager": 100, "graphed": slow}, {"eager": 100, "graphed": slow * 1.5}) for slow in (10, 20, 1000)])
        self.assertEqual({made["graphed"]["ratio"][key] for key in ("median", "low", "high")}, {1.5})
        self.assertEqual(made["graphed"]["with_us"]["values"], [15, 30, 1500])
        self.assertEqual(made["eager"]["ratio"]["median"], 1)


if __name__ == "__main__":
    unittest.main()
