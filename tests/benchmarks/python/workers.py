# SPDX-License-Identifier: Apache-2.0
"""The processes that measure. One for each program and device: started when first asked, and again after it died."""
import json
import os
import select
import subprocess

TIMEOUT = 240  # seconds, of one answer: torch.compile takes long


class Worker:
    def __init__(self, command, environment, log):
        self.command, self.environment, self.log = command, environment, log
        self.process = None

    def ask(self, workload, peer, seconds):
        """What the process answers: figures, or why there are none."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, bufsize=1
            )
        self.log.write(f"--- {workload} {peer}\n")
        self.log.flush()
        try:
            self.process.stdin.write(f"{workload} {peer} {seconds}\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
                self.end()
                return {"error": f"no answer in {TIMEOUT} s"}
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            answer = json.loads(line)
            if "error" in answer:
                self.end()  # an error of the device stays with a process
            return answer
        code = self.process.wait()
        self.process = None
        return {"error": f"the process ended with code {code}"}

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def library_path(build, torch):
    """Where a program of the preset gpu finds the runtime and this machine's LibTorch."""
    siblings = sorted(str(folder) for folder in (torch / ".." / "nvidia").glob("*/lib"))
    known = os.environ.get("LD_LIBRARY_PATH")
    return ":".join([str(build / "lib"), str(torch / "lib"), *siblings, *([known] if known else [])])
