# SPDX-License-Identifier: Apache-2.0
"""export.py DEVICE FOLDER [WORKLOAD...] | --names: writes what C++ loads of each inference workload's module. WORKLOAD.pt2 is AOTInductor's package,
WORKLOAD.pt a frozen TorchScript module. Each is made in a process of its own, several side by side. What is there already stays. The exit
status is 1 if a workload has no package: its error is in FOLDER/WORKLOAD.log."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def export(device, folder, name):
    import torch

    from workloads import WORKLOADS

    with torch.no_grad():
        made = WORKLOADS[name].make(torch.device(device), False)
        module, inputs = made.calls[0], made.batches[0].inputs
        torch.jit.freeze(torch.jit.trace(module, inputs, check_trace=False)).save(str(folder / f"{name}.pt"))
        exported = torch.export.export(module, inputs)
        unfinished = str(folder / f"{name}-unfinished.pt2")
        torch._inductor.aoti_compile_and_package(exported, package_path=unfinished)
        os.rename(unfinished, folder / f"{name}.pt2")


def names_of_all():
    """policies-24 are as many modules as its name says."""
    from workloads import WORKLOADS

    return [name for name, entry in WORKLOADS.items() if entry.kind == "inference" and name != "policies-24"]


def run_alone(device, folder, name):
    with open(folder / f"{name}.log", "w") as log:
        command = [sys.executable, __file__, "--one", device, str(folder), name]
        return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode


def main():
    arguments = sys.argv[1:]
    if arguments == ["--names"]:
        print("\n".join(names_of_all()))
        return
    is_one = arguments[0] == "--one"
    device, folder, *names = arguments[is_one:]
    folder = pathlib.Path(folder)
    if is_one:
        export(device, folder, names[0])
        return
    folder.mkdir(parents=True, exist_ok=True)
    names = names or names_of_all()
    missing = [name for name in names if not (folder / f"{name}.pt2").exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = list(pool.map(lambda name: run_alone(device, folder, name), missing))
    failed = [name for name, code in zip(missing, codes) if code]
    if failed:
        sys.exit(f"export.py: no package of {', '.join(failed)}: see their logs in {folder}")


if __name__ == "__main__":
    main()
