# SPDX-License-Identifier: Apache-2.0
#
#   explained.py SCHEMA JSON [HTML]
# What explain-document.test expects in the JSON; or that the page has the same.
import json
import sys

import jsonschema

schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
if len(sys.argv) > 3:
    page = open(sys.argv[3], encoding="utf-8").read()
    begin = page.index('id="report">') + len('id="report">')
    assert json.loads(page[begin:page.index("</script>", begin)]) == document
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n") and "{{" not in page[:begin]
    sys.exit()

jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
validator.validate(document)
for member in ("findings", "callables"):  # so that the schema can fail
    assert not validator.is_valid({name: value for name, value in document.items() if name != member}), member
assert not validator.is_valid({**document, "process": 1})

assert document["before_running"] is True
(finding,) = document["findings"]
assert finding["id"] == "graphed-unmarked-parameter" and finding["level"] == "error" and finding["file"].endswith("/wrong.h")
assert (finding["line"], finding["page"]) == (3, "docs/reference/diagnostics.md#graphed-unmarked-parameter"), finding

policy, forward = document["callables"]
assert (policy["name"], policy["file"], policy["line"]) == ("app::policy", "policy.h", 9)
assert policy["annotations"] == ["GRAPHED(obs: f32[B, 128], w: f64[128, kOut] grad, hs: i16[T, 3] * 2, cache: f32[4] static inplace, causal: key, eps: const; "
                                 "B in {64, 1}, T in any 4, slots = 4)"], policy["annotations"]
assert policy["parameters"] == ["obs", "w", "hs[0]", "hs[1]", "cache"]
assert [sample["variables"] for sample in policy["samples"]] == [["B = 1", "T in any 4"], ["B = 64", "T in any 4"]], policy["samples"]
assert policy["samples"][1]["arguments"][:3] == ["obs: f32[64, 128]", "w: f64[128, 10] grad", "hs[0]: i16[T, 3]"], policy["samples"]
assert policy["options"] == {"outputs": "keep", "slots": "4", "warmup": "3"}, policy["options"]
declared = policy["declared"]
assert declared["kind"] == "function" and "writes" not in declared and "calls_elsewhere" not in declared
assert [each.get("scalar") for each in declared["parameters"]] == [None, None, None, None, "key", "const"]
assert declared["parameters"][5]["default"] == "1.5"
(inputs,) = declared["inputs"]
assert inputs["at"] == "B = 64"
assert inputs["tensors"][0] == {"name": "obs", "type": "f32[64, 128]", "bytes": {"fixed": 32768}, "how": "copied in"}
assert inputs["tensors"][2]["bytes"] == {"for each T": 6}
assert inputs["bytes"] == {"fixed": 32768 + 10240, "for each T": 12}, inputs["bytes"]
assert "B is 1, 64" in declared["captures"]
assert "hs holds another number of elements than 2" in declared["misses"]

assert forward["name"] == "Net::forward" and forward["annotations"] == ["GRAPHED(x: f32[2] inplace)", "GRAPHED(x: f32[4] inplace)"]
assert {"target": "the member 'mean'", "operation": "mul_", "outcome": "kept in place"} in forward["declared"]["writes"]
assert forward["declared"]["calls_elsewhere"] == ["other"] and [each["name"] for each in forward["declared"]["object_members"]] == ["mean"]
assert len(forward["declared"]["inputs"]) == 2

# What the body calls: nothing where there is none.
assert policy["graphs"] == []
(graph,) = forward["graphs"]
line = next(i for i, text in enumerate(open("body.h", encoding="utf-8"), 1) if "other(x));" in text)
assert graph == {"from_source": True, "nodes": [
    {"operator": "other", "line": line, "reads": ["x"], "elsewhere": True},
    {"operator": "aten::add_", "line": line, "after": [0], "reads": ["x"]},
    {"operator": "aten::mul_", "line": line + 1, "reads": ["mean"]},
]}, graph
node = {"operator": "aten::add", "bytes_written": 4}
captured = {**forward, "graphs": [{"nodes": [node]}]}
assert validator.is_valid({**document, "callables": [captured]})
for wrong in ({"nodes": [{"operator": "aten::add"}]}, {"from_source": True, "nodes": [node]}):
    assert not validator.is_valid({**document, "callables": [{**forward, "graphs": [wrong]}]}), wrong
