# SPDX-License-Identifier: Apache-2.0
"""The processes that measure. One for each program and device: started when first asked, and again after it died."""
import contextlib
import json
import os
import select
import statistics
import subprocess

ANSWER = 60  # seconds at the most
COMPILATION = 240  # of an answer for which torch.compile may have to compile
START = 60  # more where the process begins, and loads its libraries
FIGURES = 3  # that are timed
DEATH = 10  # of a killed process: one that a device holds may stay


class Failure(Exception):
    """Why there is no answer."""


class Silence(Failure):
    pass


def without_rounds(answer):
    return {name: statistics.median(found) if isinstance(found, list) else found for name, found in answer.items()}


class Worker:
    def __init__(self, command, environment, log):
        self.command, self.environment, self.log = command, environment, log
        self.process = None
        self.hung = {}

    def measure(self, workload, peers, seconds):
        """By peer what the process answers: figures, or why there are none. Of several peers the samples are of the same rounds; but when none
        of them could be measured together, each is asked for alone, and has a single value of each figure."""
        answers = {peer: silence for peer in peers if (silence := self.silence(workload, [peer]))}
        asked = [peer for peer in peers if peer not in answers]
        answers |= self.ask(workload, asked, seconds)
        if len(asked) > 1 and all("error" in answers[peer] for peer in asked):
            answers |= {peer: without_rounds(self.ask(workload, [peer], seconds)[peer]) for peer in asked}
        return answers

    def ask(self, workload, peers, seconds):
        """A worker that once gave no answer in time is not asked again."""
        failure = self.silence(workload, peers)
        if failure is None and peers:
            try:
                return self.answers(workload, peers, seconds)
            except Failure as failed:
                failure = {"error": str(failed)}
        return dict.fromkeys(peers, failure)

    def silence(self, workload, peers):
        found = self.hung.get((workload, frozenset(peers)))
        return found and {"error": f"not asked again: {found}"}

    def answers(self, workload, peers, seconds):
        limit = (COMPILATION if {"compile", "compile-max"} & set(peers) else ANSWER) + FIGURES * seconds * len(peers)
        if self.process is None:
            limit += START
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, bufsize=1
            )
        request = f"{workload} {','.join(peers)} {seconds}"
        self.log.write(f"--- {request}\n")
        self.log.flush()
        try:
            found = json.loads(self.exchange(request, limit))
        except Silence as silent:
            self.hung[workload, frozenset(peers)] = str(silent)
            raise
        if "error" in found:
            found = dict.fromkeys(peers, found)
        if any("error" in answer for answer in found.values()):
            self.end()  # an error of the device stays with a process
        return found

    def exchange(self, request, limit):
        """A line for a line."""
        try:
            self.process.stdin.write(f"{request}\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], limit)[0]:
                self.end()
                raise Silence(f"no answer in {limit:g} s")
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Failure(f"the process ended, {self.status()}")
        return line

    def status(self):
        """Of a process that has closed its output."""
        try:
            code = self.process.wait(DEATH)
        except subprocess.TimeoutExpired:
            code = None
        self.end()
        return "it did not exit" if code is None else f"signal {-code}" if code < 0 else f"code {code}"

    def end(self):
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            process.wait(DEATH)
        except subprocess.TimeoutExpired:
            self.log.write(f"process {process.pid} does not die\n")


def library_path(build, torch):
    """Where a program of the preset gpu finds the runtime and this machine's LibTorch."""
    siblings = sorted(str(folder) for folder in (torch / ".." / "nvidia").glob("*/lib"))
    known = os.environ.get("LD_LIBRARY_PATH")
    return ":".join([str(build / "lib"), str(torch / "lib"), *siblings, *([known] if known else [])])
