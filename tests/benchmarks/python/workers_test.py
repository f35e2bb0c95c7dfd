# SPDX-License-Identifier: Apache-2.0
"""What a worker does with processes that answer, crash, fail and hang."""
import sys
import tempfile
import unittest
from unittest import mock

import workers

# Answers of each peer how often the process was asked, but does what a peer's name says, or what one of several does that begins so.
PROCESS = """
import json, os, signal, sys, time
for count, line in enumerate(sys.stdin, 1):
    peers = line.split()[1].split(",")
    if "crash" in peers or "crash-together" in peers and len(peers) > 1:
        os.kill(os.getpid(), signal.SIGABRT)
    if "exit" in peers:
        sys.exit(3)
    if "hang" in peers:
        time.sleep(600)
    if "refuse" in peers:
        print(json.dumps({"error": "no"}), flush=True)
        continue
    print(json.dumps({peer: {"error": "none"} if peer == "fail" else {"host_us": [count, count + 2]} for peer in peers}), flush=True)
"""


def measured(count):
    return {"host_us": [count, count + 2]}


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.log = tempfile.TemporaryFile("w+")
        self.worker = workers.Worker([sys.executable, "-c", PROCESS], None, self.log)

    def tearDown(self):
        self.worker.end()
        self.log.close()

    def measure(self, *peers, workload="w"):
        return self.worker.measure(workload, list(peers), 0)

    def test_one_process_answers_again_and_again(self):
        self.assertEqual([self.measure("a"), self.measure("b")], [{"a": measured(1)}, {"b": measured(2)}])

    def test_peers_are_asked_for_together(self):
        self.assertEqual(self.measure("a", "b"), {"a": measured(1), "b": measured(1)})

    def test_a_new_process_follows_one_that_died(self):
        self.measure("a")
        self.assertEqual(self.measure("crash"), {"crash": {"error": "the process ended, signal 6"}})
        self.assertEqual(self.measure("a"), {"a": measured(1)})
        self.assertEqual(self.measure("exit"), {"exit": {"error": "the process ended, code 3"}})
        self.assertEqual(self.measure("a"), {"a": measured(1)})

    def test_a_new_process_follows_an_error_of_one_peer(self):
        self.assertEqual(self.measure("a", "fail"), {"a": measured(1), "fail": {"error": "none"}})
        self.assertEqual(self.measure("a"), {"a": measured(1)})

    def test_what_fails_only_together_is_measured_one_by_one(self):
        self.assertEqual(self.measure("a", "crash-together"), {"a": {"host_us": 2}, "crash-together": {"host_us": 3}})

    def test_who_fails_alone_too_keeps_no_other_from_being_measured(self):
        self.assertEqual(self.measure("crash", "a"), {"crash": {"error": "the process ended, signal 6"}, "a": {"host_us": 2}})
        self.assertEqual(self.measure("refuse", "a"), {"refuse": {"error": "no"}, "a": {"host_us": 2}})

    def test_who_hangs_is_asked_once(self):
        self.measure("a")
        with mock.patch.object(workers, "ANSWER", 0.5):
            self.assertEqual(self.measure("hang"), {"hang": {"error": "no answer in 0.5 s"}})
        self.assertEqual(self.measure("hang"), {"hang": {"error": "not asked again: no answer in 0.5 s"}})
        self.assertEqual(self.measure("a"), {"a": measured(1)})

    def test_the_others_are_measured_together_once_it_is_known_who_hangs(self):
        with mock.patch.object(workers, "ANSWER", 0.5), mock.patch.object(workers, "START", 2):
            self.assertEqual(self.measure("hang", "a", "b")["a"], {"host_us": 2})
        self.assertEqual(
            self.measure("a", "hang", "b"),
            {"a": measured(3), "hang": {"error": "not asked again: no answer in 2.5 s"}, "b": measured(3)},
        )
        self.assertEqual(self.worker.hung.keys(), {("w", frozenset(["hang", "a", "b"])), ("w", frozenset(["hang"]))})


if __name__ == "__main__":
    unittest.main()
