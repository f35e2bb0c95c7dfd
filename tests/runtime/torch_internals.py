# SPDX-License-Identifier: Apache-2.0
#
#   torch_internals.py ROOT
# LibTorch's private and undocumented parts, and its versions, are named in runtime/src/torch/ alone: neither by the runtime's other sources, nor
# by public headers, nor in what graphgen writes.
import pathlib
import re
import sys

INTERNALS = {
    "autograd's state of a tensor": r"autograd::impl\b|AutogradMeta|autograd_meta",
    "who owns a node": r"deleteNode|(shared|weak|intrusive)_ptr<(torch::autograd::|\w*::)?Node>",
    "dispatch keys": r"Dispatch_?Key|dispatch_key|key_set\(|BackendComponent",
    "a generator's state": r"CUDAGenerator|getDefaultCUDAGenerator|philox_offset",
    "workspaces": r"WorkspaceMap|handle_stream_to_workspace|CUDABlasLtWorkspace|at::cuda::\w*Workspace",
    "LibTorch's version": r"TORCH_VERSION|LIBTORCH_AT_LEAST|caffe2/core/common",
    "private members": r"pointer_to\(|member_of<|pyobj_slot",
}
root = pathlib.Path(sys.argv[1])
inside = root / "runtime" / "src" / "torch"
files = [file for folder in ("runtime/src", "runtime/include", "templates") for file in sorted((root / folder).rglob("*.*"))]
outside = [file for file in files if inside not in file.parents]

failures = [
    f"{file.relative_to(root)}:{number}: names {what}, which only runtime/src/torch/ may: {line.strip()}"
    for file in outside
    for number, line in enumerate(file.read_text().splitlines(), 1)
    for what, pattern in INTERNALS.items()
    if re.search(pattern, line, re.I if what == "dispatch keys" else 0)
]
failures += [
    f"{file.relative_to(root)}: includes autograd, which no glue file needs"
    for file in outside
    if root / "runtime" / "src" not in file.parents and "torch/csrc/autograd" in file.read_text()
]
own_text = "".join(file.read_text() for file in inside.glob("*"))
failures += [f"nothing in runtime/src/torch/ names {what} as this test looks for it" for what, pattern in INTERNALS.items() if not re.search(pattern, own_text)]
print("\n".join(failures))
sys.exit(1 if failures or not outside else 0)
