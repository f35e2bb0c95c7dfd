#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What words.py finds, and where."""
import pathlib
import tempfile
import unittest

import words


def found(text, name="page.md"):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return sorted(words.check(file, words.Words(words.HERE / "words.txt")))


class OwnWords(unittest.TestCase):
    def test_are_found_in_any_case_and_in_tables(self):
        self.assertEqual([line for line, _ in found("It is\ntold.\n\n| Plain |\n")], [2, 4])

    def test_are_found_in_comments_and_messages(self):
        self.assertEqual([line for line, _ in found('// nobody\nwarn("the plain callable runs");\nkey("plain");\n', "a.cpp")], [1, 2])

    def test_are_found_in_comments_of_scripts(self):
        script = '#!/bin/plain\n# nobody\n"""Told.\n\na.py plain SOURCE\n"""\nplain = 1  \x23 anew\n'
        self.assertEqual([line for line, _ in found(script, "a.py")], [2, 3, 7])

    def test_are_found_in_pictures(self):
        self.assertEqual([line for line, _ in found('<svg>\n<text x="1">Hand out results</text>\n</svg>\n', "a.svg")], [2])

    def test_may_be_what_a_lit_test_expects(self):
        self.assertEqual(found("// CHECK: nobody\n// RUN: plain %s\n", "a.cpp"), [])

    def test_may_be_code(self):
        self.assertEqual(found("The peer `plain`.\n"), [])


if __name__ == "__main__":
    unittest.main()
