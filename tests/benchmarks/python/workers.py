# SPDX-License-Identifier: Apache-2.0
"""The processes that measure. One for each program and device: started when first asked, and again after it died."""
import contextlib
import json
import os
import select
import subprocess

ANSWER = 60  # seconds at the most
COMPILATION = 240  # of an answer for which torch.compile may have to compile
START = 60  # more where the process begins, and loads its libraries
DEATH = 10  # of a killed process: one that a device holds may stay


class Worker:
    def __init__(self, command, environment, log):
        self.command, self.environment, self.log = command, environment, log
        self.process = None
        self.hung = {}

    def ask(self, workload, peer, seconds):
        """What the process answers: figures, or why there are none. Whoever once gave no answer in time is not asked again."""
        if (workload, peer) in self.hung:
            return {"error": f"not asked again: {self.hung[workload, peer]}"}
        limit = COMPILATION if peer == "compile" else ANSWER
        if self.process is None:
            limit += START
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, bufsize=1
            )
        self.log.write(f"--- {workload} {peer}\n")
        self.log.flush()
        try:
            self.process.stdin.write(f"{workload} {peer} {seconds}\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], limit)[0]:
                self.end()
                self.hung[workload, peer] = f"no answer in {limit} s"
                return {"error": self.hung[workload, peer]}
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            answer = json.loads(line)
            if "error" in answer:
                self.end()  # an error of the device stays with a process
            return answer
        return {"error": f"the process ended, {self.status()}"}

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
