# SPDX-License-Identifier: Apache-2.0
"""Writes what Python's torch.optim and torch.amp.GradScaler compute in the cases of cases.txt, for the tests to compare.

    python expected.py DEVICE FILE VERSION

FILE holds a dictionary of tensors: "gradients" (steps, elements), "initial" (elements), and for each case "NAME/parameters" (steps, elements)
after each step, "NAME/norm" or "NAME/scale" (steps). Learning rates are tensors, as an optimizer in a CUDA graph needs them."""
import importlib
import pathlib
import sys
import types

import torch

STEPS = 1000
SHAPES = [(5, 7), (7,), (3, 3, 2)]  # the first two are one parameter group, the last is another
NOT_OPTIONS = {"dtype", "clip", "clip_value", "scaler", "unscale"}
DTYPES = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
SECOND = "second."
FLAGS = {"nesterov", "maximize", "amsgrad", "centered"}


def cases():
    for line in (pathlib.Path(__file__).parent / "cases.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, optimizer, *settings = line.split()
            pairs = (setting.split("=") for setting in settings)
            yield name, optimizer, {key: DTYPES[value] if key == "dtype" else float(value) for key, value in pairs}


def rate(base, step):
    return base * (1.0 - step / 2000.0)


def options_of(settings):
    options = {key: bool(value) if key in FLAGS else value for key, value in settings.items() if key not in NOT_OPTIONS | {"lr"}}
    if "beta1" in options or "beta2" in options:
        options["betas"] = (options.pop("beta1", 0.9), options.pop("beta2", 0.999))
    return options


def make_optimizer(name, settings, groups, device):
    first = {key: value for key, value in settings.items() if not key.startswith(SECOND)}
    second = {key[len(SECOND) :]: value for key, value in settings.items() if key.startswith(SECOND)}
    base = settings["lr"]
    dtype = torch.float32 if device == "cuda" else torch.float64  # as graphed::optim has it
    number = lambda value: torch.tensor(value, dtype=dtype, device=device)
    groups = [{"params": groups[0], "lr": number(base)}, {"params": groups[1], "lr": number(2 * base), **options_of(first | second)}]
    implementation = {"foreach": True, "capturable": True} if name == "RMSprop" else {"fused": True}
    return getattr(torch.optim, name)(groups, lr=number(base), **options_of(first), **implementation), base


def run(name, optimizer_name, settings, initial, gradients, device):
    dtype = settings.get("dtype", torch.float32)
    sizes = [torch.Size(shape).numel() for shape in SHAPES]
    state = initial.to(device, dtype, copy=True)  # of all parameters, which are its parts
    parameters = [part.view(shape).requires_grad_() for part, shape in zip(state.split(sizes), SHAPES)]
    # Each is this run's own, as clipping writes them; what a scale multiplies keeps its dtype until then.
    held = torch.float32 if "scaler" in settings else dtype
    parts = [part.reshape(STEPS, *shape).to(device, held, copy=True) for part, shape in zip(gradients.split(sizes, dim=1), SHAPES)]
    optimizer, base = make_optimizer(optimizer_name, settings, [parameters[:2], parameters[2:]], device)
    scaler = torch.amp.GradScaler(device, init_scale=1024.0, growth_interval=20, growth_factor=1.7, backoff_factor=0.6) if "scaler" in settings else None
    one = torch.ones((), device=device)
    seen, norms, scales = [], [], []
    for step in range(STEPS):
        factor = scaler.scale(one) if scaler else None
        for parameter, part in zip(parameters, parts):
            parameter.grad = part[step] if factor is None else (part[step] * factor).to(dtype)
        optimizer.param_groups[0]["lr"].fill_(rate(base, step))
        optimizer.param_groups[1]["lr"].fill_(2 * rate(base, step))
        if scaler and "unscale" in settings:
            scaler.unscale_(optimizer)
        if "clip" in settings:
            norms.append(torch.nn.utils.clip_grad_norm_(parameters, settings["clip"]))
        if "clip_value" in settings:
            torch.nn.utils.clip_grad_value_(parameters, settings["clip_value"])
        if scaler:
            scaler.step(optimizer)
            scaler.update()
            scales.append(torch.tensor(scaler.get_scale()))
        else:
            optimizer.step()
        seen.append(state.clone())
    made = {f"{name}/parameters": torch.stack(seen).cpu()}
    assert made[f"{name}/parameters"].isfinite().all(), f"{name} says nothing: it diverges"
    if norms:
        made[f"{name}/norm"] = torch.stack(norms).cpu()
    if scales:
        made[f"{name}/scale"] = torch.stack(scales)
    return made


def main():
    device, path, version = sys.argv[1:]
    if torch.__version__.split("+")[0] != version:
        sys.exit(f"{sys.executable} has torch {torch.__version__}, and the tests were built for LibTorch {version}: set GRAPHED_PYTHON to its Python")
    # Python runs its capturable variants on accelerators only; their operators are the same on a CPU.
    importlib.import_module("torch.optim.rmsprop")._get_capturable_supported_devices = lambda *_, **__: ["cpu", "cuda"]
    # Python asks for a CPU where Adagrad is fused, though the operator is there on CUDA.
    importlib.import_module("torch.optim.adagrad")._device_dtype_check_for_fused = lambda *_, **__: None
    # Python's compiler, which the first step of an optimizer imports without use: it takes a third of this program's time.
    sys.modules["torch._dynamo"] = torch._dynamo = types.SimpleNamespace(graph_break=lambda: None, disable=lambda function, *_, **__: function)
    torch.manual_seed(3)
    torch.set_num_threads(1)
    elements = sum(torch.Size(shape).numel() for shape in SHAPES)
    made = {"initial": torch.randn(elements), "gradients": torch.randn(STEPS, elements)}
    overflowing = made["gradients"].clone()
    for step in range(STEPS):
        if step % 37 == 5:
            overflowing[step, step % elements] = float("inf") if step % 2 else float("nan")
    made["overflowing"] = overflowing
    for name, optimizer, settings in cases():
        gradients = overflowing if "scaler" in settings else made["gradients"]
        made.update(run(name, optimizer, settings, made["initial"], gradients, device))
    torch.save(made, path)


main()
