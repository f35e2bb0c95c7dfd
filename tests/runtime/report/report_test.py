# SPDX-License-Identifier: Apache-2.0
#
#   report_test.py PROGRAM DEVICE WAY SCHEMA FOLDER
# Runs report_program, and holds the report that it leaves in FOLDER against the schema and against the program's own statistics.
import calendar
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

program, device, way, schema_path, folder = sys.argv[1:]
folder = pathlib.Path(folder)
shutil.rmtree(folder, ignore_errors=True)
environment = {**os.environ, "GRAPHED_LOG": "off"}
if way == "times":
    environment["GRAPHED_REPORT_TIMES"] = "1"
if way != "demand":
    environment["GRAPHED_REPORT"] = str(folder / "%p")
ran = subprocess.run([program, device, way, str(folder / "%p")], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
print(ran.stdout + ran.stderr)
assert ran.returncode == 0, ran.returncode
if "there is no GPU" in ran.stdout:
    sys.exit()
expected = {line["name"]: line["statistics"] for line in map(json.loads, ran.stdout.splitlines())}
if way == "demand":
    assert "graphed: the report could not be written: " in ran.stderr, ran.stderr

(made,) = folder.iterdir()
assert made.name.isdigit(), made
assert sorted(path.name for path in made.iterdir()) == ["index.html", "report.json", "trace.json"], list(made.iterdir())
report = json.loads((made / "report.json").read_text())
trace = json.loads((made / "trace.json").read_text())
if device == "cpu":  # a machine with a GPU may have no jsonschema
    import jsonschema
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(report)
assert report["process"] == int(made.name) and report["collected"] is True
assert report["program"] == pathlib.Path(program).name
assert abs(time.time() - calendar.timegm(time.strptime(report["written_at"], "%Y-%m-%dT%H:%M:%SZ"))) < 3600, report["written_at"]

if device == "cpu":
    assert report["devices"] == [{"device": "cpu", "name": "CPU"}], report["devices"]
else:
    (gpu,) = report["devices"]
    asked = subprocess.run(["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert gpu["device"] == "cuda:0" and f"{gpu['name']}, {gpu['compute_capability']}" in asked.splitlines(), (gpu, asked)

callables = report["callables"]
ended = [each for each in callables if each["has_ended"]]
sizes, several, refused, missed = ended[-4:]  # in the opposite order of their making, in each scope
if way == "demand":
    before = [each for each in callables if not each["has_ended"]][0]
    assert before["first_calls"] == [] and before["graphs"] == [] and before["statistics"]["replays"] == 1, before
network = [each for each in callables if not each["has_ended"]][-1]
for name, one in {"network": network, "missed": missed, "refused": refused, "several": several, "sizes": sizes}.items():
    assert one["statistics"] == expected[name], (name, one["statistics"], expected[name])
    calls = one["first_calls"]
    assert len(calls) == min(64, one["statistics"]["calls"]), (name, len(calls))
    assert (one["file"], one["line"]) == ("test.cpp", 1)
    assert one["annotations"] == ["GRAPHED(x: f32[4])", "GRAPHED(x: f32[8])"]
    if len(calls) < 64:
        count = lambda *kinds: sum(call["kind"] in kinds for call in calls)
        assert count("warm-up") == one["statistics"]["warmups"]
        assert count("capture", "replay") == one["statistics"]["replays"]
        assert count("capture") == one["statistics"]["captures"]
        assert count("miss") == sum(one["statistics"]["misses"].values())
    begins = [call["begin_microseconds"] for call in calls]
    assert begins == sorted(begins) and begins[-1] < 600e6, begins

# A captured network: the graph, its modules, and what is copied.
(key,) = network["keys"]
(capture,) = key["captures"]
assert key["state"] == "captured" and key["replays"] == 3 and capture["device"] == report["devices"][0]["device"]
assert capture["bytes_held"] == network["statistics"]["bytes_held"] > 0
x, y = capture["inputs"]
assert (x["name"], x["type"], x["kind"], x["bytes"]) == ("x", "f32[32, 8]", "copied", 1024), x
assert "written_back" not in x and y["written_back"] is True and y["name"] == "y"
(result,) = capture["results"]
assert (result["type"], result["kind"], result["bytes"]) == ("f32[32, 4]", "graph", 512), result
assert capture["closed_over"]["tensors"] == 4 and capture["closed_over"]["bytes"] == 4 * (8 * 16 + 16 + 16 * 4 + 4)
nodes = network["graphs"][capture["graph"]]["nodes"]
names = [node["operator"] for node in nodes]
assert [name for name in names if name != "aten::copy_"] == ["aten::addmm", "aten::relu", "aten::addmm", "aten::tanh"], names
first, second = [i for i, name in enumerate(names) if name == "aten::addmm"]
assert "x" in nodes[first]["reads"] and "0.weight" in nodes[first]["reads"] and nodes[first]["module"] == "0", nodes[first]
assert nodes[second]["module"] == "2" and nodes[second]["after"] == [names.index("aten::relu")], nodes[second]
assert nodes[names.index("aten::tanh")]["after"] == [second] and nodes[second]["bytes_written"] == 512
assert "y" in nodes[-1].get("reads", []) or "aten::copy_" in names, nodes
# The program has debug information.
source = (pathlib.Path(__file__).parent / "program.cpp").read_text().splitlines()
for operator, statement in {"aten::relu": "layers->forward(in[0]).tanh();", "aten::tanh": "layers->forward(in[0]).tanh();", "aten::copy_": "in[1].copy_("}.items():
    (line,) = [number for number, text in enumerate(source, 1) if statement in text]
    for node in (node for node in nodes if node["operator"] == operator):
        assert (pathlib.Path(node["file"]).name, node["line"]) == ("program.cpp", line) and "network" in node["function"], (node, line)
(line,) = [number for number, text in enumerate(source, 1) if "always_inline" in text]
node = missed["graphs"][0]["nodes"][0]
assert (pathlib.Path(node["file"]).name, node["line"]) == ("program.cpp", line) and "function" not in node, node
# Times are a CPU's, or asked for. The ReLU and the second product save what the ReLU has made, 32 rows of 16 numbers. On a GPU there are kernels.
assert capture["bytes_saved"] == 32 * 16 * 4, capture["bytes_saved"]
if device == "cpu":
    assert capture["bytes_of_workspaces"] == 0
    assert not any("kernels" in node for node in nodes), nodes
else:
    assert all(node["kernels"] for node in nodes) and "tanh" in nodes[names.index("aten::tanh")]["kernels"][0], nodes
    assert capture["bytes_of_workspaces"] > 0
if device == "cpu" or way == "times":
    assert all(0 < node["microseconds"] < 1e6 for node in nodes), nodes
else:
    assert not any("microseconds" in node for node in nodes), nodes
(backward,) = capture["backwards"]
back = [node["operator"] for node in network["graphs"][backward["graph"]]["nodes"]]
assert "aten::tanh_backward" in back and back.count("aten::mm") >= 3, back
assert backward["replays"] == 3 and backward["gradients"].startswith("result 0 f32[32, 4]"), backward
for graph in network["graphs"]:
    for i, node in enumerate(graph["nodes"]):
        assert all(before < i for before in node.get("after", [])), (i, node)

# Calls that ran the original function.
assert missed["misses"] == [{"reason": "shape", "calls": 80, "what_to_do": "pass what is annotated; annotate further sizes, or pad",
                             "page": missed["misses"][0]["page"]}], missed["misses"]
assert missed["misses"][0]["page"].endswith("explanation/guards.md#what-to-do")
assert missed["misses_by_parameter"] == [{"parameter": "x", "reason": "shape", "calls": 80, "last": "expected [16, 8], got [3, 8]"}]
assert refused["keys"][0]["state"] == "refused" and "aten::_local_scalar_dense" in refused["keys"][0]["refusal"], refused["keys"]
assert refused["misses"][0]["reason"] == "capture_failed" and refused["statistics"]["failed_captures"] == 3
assert refused["graphs"] == [] and refused["keys"][0]["captures"] == []

# Each reason with its calls and what to do, and each parameter.
told = {miss["reason"]: miss for miss in several["misses"] + sizes["misses"]}
assert {reason: miss["calls"] for reason, miss in told.items()} == {
    "dtype": 1, "shape": 2, "requires_grad": 3, "undefined": 4, "slots": 5, "disabled": 6, "sizes": 7}, told
assert told["requires_grad"]["what_to_do"] == "`GRAPHED(x: f32[2, 2] grad)` where it needs a gradient"
assert told["slots"]["what_to_do"].startswith("`slots = n`") and told["slots"]["page"].endswith("explanation/outputs.md#calls-in-flight")
assert told["sizes"]["what_to_do"] == "write a larger number, or the values"
assert "what_to_do" not in told["disabled"] and told["disabled"]["page"].endswith("reference/environment.md")
by_parameter = {(miss["parameter"], miss["reason"]): (miss["calls"], miss["last"]) for miss in several["misses_by_parameter"]}
assert {key: calls for key, (calls, _) in by_parameter.items()} == {("w", "dtype"): 1, ("x", "shape"): 2, ("x", "requires_grad"): 3, ("w", "undefined"): 4}
assert by_parameter["x", "shape"][1] == "expected [4, 8], got [3, 8]" and "f64" in by_parameter["w", "dtype"][1], by_parameter
assert several["keys"][0]["misses"][0]["reason"] == "slots" and several["keys"][0]["misses"][0]["calls"] == 5, several["keys"]
assert [miss["calls"] for miss in several["misses_without_key"] if miss["reason"] == "disabled"] == [6], several["misses_without_key"]

# The trace has each noted call, and each capture inside of the call that made it.
events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
assert len([event for event in events if event["cat"] != "graph"]) == sum(len(each["first_calls"]) for each in callables)
captures = [event for event in events if event["cat"] == "graph"]
assert len(captures) == sum(each["statistics"]["captures"] + each["statistics"]["backward_captures"] for each in (network, missed, several, sizes)), captures
for event in captures:
    if event["name"] == "capture the forward":
        around = [call for call in events if call["cat"] == "capture" and call["tid"] == event["tid"]
                  and call["ts"] <= event["ts"] and event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 0.01]
        assert around, event
