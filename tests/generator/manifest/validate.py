# SPDX-License-Identifier: Apache-2.0
#
#   validate.py SCHEMA LEAST PLACE...
# Holds each manifest, *.graphed.json, below the PLACEs against SCHEMA. Fails where one does not match, or fewer than LEAST are there.
import json
import pathlib
import sys

import jsonschema

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
least, places = int(sys.argv[2]), sys.argv[3:]

manifests = sorted({path for place in places for path in pathlib.Path(place).rglob("*.graphed.json") if path.is_file()})
failures = 0
for path in manifests:
    for error in validator.iter_errors(json.loads(path.read_text())):
        failures += 1
        print(f"{path}: {error.json_path}: {error.message}", file=sys.stderr)
print(f"{len(manifests)} manifests, {failures} errors")
if len(manifests) < least:
    sys.exit(f"expected at least {least} manifests below {' '.join(places)}")
sys.exit(failures != 0)
