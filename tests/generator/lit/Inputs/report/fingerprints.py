# SPDX-License-Identifier: Apache-2.0
#
#   fingerprints.py DOCUMENT
# Prints by which fingerprint each result of a SARIF document is known again, which no other one of its file has.
import json
import pathlib
import sys

(run,) = json.loads(pathlib.Path(sys.argv[1]).read_bytes())["runs"]
seen = set()
for result in run["results"]:
    if "locations" not in result:
        assert "partialFingerprints" not in result, result
        continue
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    fingerprint = result["partialFingerprints"]["primaryLocationLineHash"]
    assert (uri, fingerprint) not in seen, result
    seen.add((uri, fingerprint))
    print(result["ruleId"], fingerprint)
