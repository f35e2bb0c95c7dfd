# SPDX-License-Identifier: Apache-2.0
"""What a worker does with processes that answer, crash, fail and hang."""
import sys
import tempfile
import unittest
from unittest import mock

import workers

# Answers how often it was asked, but does what a workload's name says.
PROCESS = """
import json, os, signal, sys, time
for count, line in enumerate(sys.stdin, 1):
    workload = line.split()[0]
    if workload == "crash":
        os.kill(os.getpid(), signal.SIGABRT)
    if workload == "exit":
        sys.exit(3)
    if workload == "hang":
        time.sleep(600)
    print(json.dumps({"error": "none"} if workload == "fail" else {"count": count}), flush=True)
"""


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.log = tempfile.TemporaryFile("w+")
        self.worker = workers.Worker([sys.executable, "-c", PROCESS], None, self.log)

    def tearDown(self):
        self.worker.end()
        self.log.close()

    def ask(self, workload, peer="plain"):
        return self.worker.ask(workload, peer, 1)

    def test_one_process_answers_again_and_again(self):
        self.assertEqual([self.ask("a"), self.ask("b")], [{"count": 1}, {"count": 2}])

    def test_a_new_process_follows_one_that_died(self):
        self.ask("a")
        self.assertEqual(self.ask("crash"), {"error": "the process ended, signal 6"})
        self.assertEqual(self.ask("a"), {"count": 1})
        self.assertEqual(self.ask("exit"), {"error": "the process ended, code 3"})
        self.assertEqual(self.ask("a"), {"count": 1})

    def test_a_new_process_follows_an_error(self):
        self.assertEqual(self.ask("fail"), {"error": "none"})
        self.assertEqual(self.ask("a"), {"count": 1})

    def test_who_hangs_is_asked_once(self):
        self.ask("a")
        with mock.patch.object(workers, "ANSWER", 0.5):
            self.assertEqual(self.ask("hang"), {"error": "no answer in 0.5 s"})
        self.assertEqual(self.ask("hang"), {"error": "not asked again: no answer in 0.5 s"})
        self.assertEqual(self.ask("a"), {"count": 1})


if __name__ == "__main__":
    unittest.main()
