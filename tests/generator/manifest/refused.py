# SPDX-License-Identifier: Apache-2.0
#
#   refused.py SCHEMA MANIFEST
# SCHEMA takes MANIFEST, and refuses it after any of these changes.
import copy
import json
import pathlib
import sys

import jsonschema

schema, manifest = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:])
validator = jsonschema.Draft202012Validator(schema)
validator.validate(manifest)


def at(tree, *path):
    for key in path:
        tree = tree[key]
    return tree


CALLABLE = ("callables", 0)
TENSOR = CALLABLE + ("samples", 0, "tensors", 0)
changes = {
    "another version": lambda m: m.update(schema=2),
    "no file": lambda m: m.pop("file"),
    "a key that nobody knows": lambda m: m.update(extra=1),
    "a callable without a name": lambda m: at(m, *CALLABLE).pop("name"),
    "a function with an object": lambda m: at(m, *CALLABLE).update(kind="function"),
    "a method without one": lambda m: at(m, *CALLABLE).pop("object"),
    "no annotation": lambda m: at(m, *CALLABLE).update(samples=[]),
    "another dtype": lambda m: at(m, *TENSOR).update(dtype="float"),
    "a negative extent": lambda m: at(m, *TENSOR).update(shape=[-1]),
    "a flag twice": lambda m: at(m, *TENSOR).update(flags=["grad", "grad"]),
    "another scalar": lambda m: at(m, *CALLABLE, "parameters", 0).update(scalar="frozen"),
    "half a place": lambda m: at(m, *CALLABLE, "parameters", 0).pop("tensor_count"),
    "no slots": lambda m: at(m, *CALLABLE, "options").update(slots=0),
    "an option that is missing": lambda m: at(m, *CALLABLE, "options").pop("strict"),
}
failures = []
for what, change in changes.items():
    changed = copy.deepcopy(manifest)
    change(changed)
    if validator.is_valid(changed):
        failures.append(what)
print(f"{len(changes)} changes")
sys.exit("accepted: " + ", ".join(failures) if failures else 0)
