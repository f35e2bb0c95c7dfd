# SPDX-License-Identifier: Apache-2.0
"""What was measured on."""
import datetime
import json
import pathlib
import platform
import re
import subprocess
import sys


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def gpu():
    """Its name, driver and memory; empty where there is none."""
    return output("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader").partition("\n")[0]


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def versions(python, environment):
    """Of torch and what comes with it, in the Python that runs the peers."""
    script = """
import importlib.metadata as metadata, json, sys
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
names = ("torch", "triton", "tensordict")
print(json.dumps({"python": sys.version.split()[0], **{name: version(name) for name in names}}))"""
    return json.loads(subprocess.run([python, "-c", script], env=environment, capture_output=True, text=True, check=True).stdout)


def describe(commit):
    return {
        "commit": commit,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": " ".join(["tests/benchmarks/run", *(pathlib.PurePath(word).name or word for word in sys.argv[1:])]),
        "device": gpu() or "none",
        "processor": processor(),
        "system": f"{platform.platform()}",
    }
