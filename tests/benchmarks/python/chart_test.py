# SPDX-License-Identifier: Apache-2.0
"""What the README's chart shows of a run."""
import re
import unittest
import xml.etree.ElementTree

from bars_test import run_of
from chart import LEFT, WIDTH, chart

MACHINE = {"device": "A GPU, 1.2", "versions": {"torch": "2"}, "date": "2026-01-02T03", "commit": "0123456789abcdef"}
ROOT = "{http://www.w3.org/2000/svg}"


def cells(workload, plain, handwritten, graphed):
    times = {"plain": plain, "handwritten": handwritten, "graphed": graphed}
    return {("cuda", workload, peer): values for peer, values in times.items()}


def drawn(all_cells):
    return xml.etree.ElementTree.fromstring(chart(run_of(all_cells, **MACHINE)))


def texts(picture):
    return [each.text for each in picture.iter(ROOT + "text")]


class ChartTest(unittest.TestCase):
    def test_bars_are_as_long_as_the_speed_ups(self):
        picture = drawn(cells("td3-update", [12, 12], [6, 6], [3, 3]))
        lengths = {each.get("class"): float(each.get("width")) for each in picture.iter(ROOT + "rect") if each.get("x") == str(LEFT) and each.get("y") != "40"}
        self.assertAlmostEqual(lengths["handwritten"], 2 * lengths["plain"], delta=0.2)
        self.assertAlmostEqual(lengths["graphed"], 4 * lengths["plain"], delta=0.2)
        self.assertLess({"2.0x", "4.0x"}, set(texts(picture)))

    def test_a_phone_shows_all_of_it(self):
        picture = drawn({**cells("ppo-minibatch", [50, 40], [4, 4], [1, 2]), **cells("transformer-1", [9, 9], [3, 3], [3, 3])})
        self.assertLessEqual(float(picture.get("width")), 480)
        for each in picture.iter(ROOT + "text"):
            wide = (5.6 if "small" in each.get("class") else 7.5) * len(each.text)
            start = float(each.get("x")) - {"start": 0, "middle": wide / 2, "end": wide}[each.get("text-anchor")]
            self.assertTrue(0 <= start and start + wide <= WIDTH, each.text)

    def test_the_largest_gain_comes_first(self):
        picture = drawn({**cells("resnet18", [4, 4], [2, 2], [2, 2]), **cells("policy-1", [9, 9], [3, 3], [3, 3])})
        self.assertEqual([each for each in texts(picture) if "inference" in each], ["Policy inference", "ResNet-18 inference"])

    def test_a_workload_with_a_peer_that_failed_is_left_out(self):
        picture = drawn({**cells("resnet18", [4, 4], "crash", [2, 2]), **cells("policy-1", [9, 9], [3, 3], [3, 3])})
        self.assertEqual([each for each in texts(picture) if "inference" in each], ["Policy inference"])

    def test_an_interval_is_a_line_between_its_ends(self):
        picture = drawn(cells("td3-update", [8, 8], [8, 8], [4, 2]))
        (interval,) = [each for each in picture.iter(ROOT + "line") if each.get("class") == "interval"]
        start, end = (float(interval.get(x)) - LEFT for x in ("x1", "x2"))
        self.assertAlmostEqual(end, 2 * start, delta=0.2)  # of 2x and 4x

    def test_the_machine_stands_below(self):
        last = " ".join(texts(drawn(cells("policy-1", [2, 2], [1, 1], [1, 1])))[-2:])
        self.assertTrue(re.search(r"A GPU, LibTorch 2, 2026-01-02, commit 0123456789ab$", last), last)

    def test_a_run_without_a_gpu_has_none(self):
        self.assertIsNone(chart(run_of({("cpu", "policy-1", "graphed"): [1, 1]}, **MACHINE)))


if __name__ == "__main__":
    unittest.main()
