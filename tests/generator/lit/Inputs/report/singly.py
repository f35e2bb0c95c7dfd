# SPDX-License-Identifier: Apache-2.0
#
# Prints what --diagnostics-format=json has as text would: text has three of many equal ones. Notes about no place are left out.
import json
import sys


def place(region):
    return "%(file)s:%(line)d:%(column)d: " % region


def print_fix(edits):
    for each in edits:
        print('fix-it:"%(file)s":{%(line)d:%(column)d-%(end_line)d:%(end_column)d}:"%(text)s"' % each)


for each in json.load(sys.stdin)["diagnostics"]:
    print("%s%s: %s [%s]" % (place(each), each["level"], each["message"], each["id"]))
    print_fix(each.get("fix", []))
    for note in each["notes"]:
        if "file" in note:
            print("%snote: %s" % (place(note), note["message"]))
            print_fix(note.get("fix", []))
