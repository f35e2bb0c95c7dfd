# SPDX-License-Identifier: Apache-2.0
#
# Names of files that nothing may be generated for: an error on standard error, documents that are JSON, and no file.
import json
import os
import subprocess

NAMES = [
    b"bytes\xff.h",
    b"half\xc3.h",
    b"surrogate\xed\xa0\x80.h",
    b"folder\xfe/policy.h",
    b"escape\x1b[2J.h",
    b"next\xc2\x85line.h",
    "right\u202eto\u202cleft.h".encode(),
    "isolate\u2066.h".encode(),
    "line\u2028separator.h".encode(),
    b"what??/policy.h",
    b"what??!.h",
    b'end"\n#error .h',
]

for name in NAMES:
    os.makedirs(os.path.dirname(name) or b".", exist_ok=True)
    with open(name, "wb") as file:
        file.write(b"GRAPHED(x: f32[2]) void f(int x);\n")
    told = subprocess.run([b"graphgen", b"--out-dir", b"out", name, b"--"])
    assert told.returncode == 1, (name, told)
    for form in ["sarif", "json"]:
        document = subprocess.run([b"graphgen", b"--out-dir", b"out", b"--diagnostics-format=" + form.encode(), name, b"--"],
                                  capture_output=True)
        assert document.returncode == 1, (name, document)
        assert "graphed-file-name" in json.dumps(json.loads(document.stdout.decode())), (name, document)
    assert not os.path.exists("out"), name
