// SPDX-License-Identifier: Apache-2.0
//
// Several errors in one text: each is reported once, at its place, in the order of the text.
#include "MarkedText.h"

namespace graphgen::annotation {
namespace {

TEST(Recovery, GoesOnAtTheNextArgument) {
  expectErrors("x: f32[2, <]>, y: <flt>[3], z <key>; warmup = 1",
               {"expected a dimension, got ']'",
                "unknown dtype 'flt'; expected f64, f32, f16, bf16, f8e4m3, f8e5m2, c64, c128, i64, i32, i16, i8, u8 or bool",
                "expected ':' after the argument's name 'z', got 'key'"});
}

TEST(Recovery, GoesOnAtTheOptionsFromWithinBrackets) {
  expectErrors("x: f32[2, (3 + <;> warmup = <,> slots = <]>; <stric>",
               {"expected an integer, a name or '(' after '+', got ';'", "expected an integer for 'warmup', got ','",
                "expected an integer for 'slots', got ']'", "unknown option 'stric'; did you mean 'strict'?"});
}

TEST(Recovery, PassesCommasInsideOfBrackets) {
  expectErrors("x: {a: <5>, b: f32[2, 3]}, y: f32[2] <hosst>",
               {"expected a tensor, an aggregate, key, const, live, out or ignore as a member, got '5'",
                "unknown flag 'hosst'; did you mean 'host'?"});
}

TEST(Recovery, ReadsAWrongWordAsTheNearestOne) {
  expectErrors(
      "x: <float>[2 * <]>, y: <float>[2] <grd> <grad>",
      {"unknown dtype 'float'; did you mean 'f32'?", "expected an integer, a name or '(' after '*', got ']'",
       "unknown dtype 'float'; did you mean 'f32'?", "unknown flag 'grd'; did you mean 'grad'?", "the flag 'grad' is given twice"});
  expectErrors("; <warmups> = 3, <warmup> = 3", {"unknown option 'warmups'; did you mean 'warmup'?", "the option 'warmup' is given twice"});
}

TEST(Recovery, ReportsAnUnexpectedByteOnce) {
  expectErrors("x: f32[2 <$> 3], y: f32[<@>]", {"unexpected character '$'", "unexpected character '@'"});
  expectErrors("<\"x\">: key, y: <'k'>; <\\>", {"unexpected string literal; write the annotation without quotes",
                                                "unexpected character literal", "unexpected character '\\'"});
}

TEST(Recovery, ReportsDuplicatesAndGoesOn) {
  expectErrors("x: key, <x>: key <grad>, y: {a: f32[2], <a>: <f31>[2]}",
               {"the argument 'x' is given twice", "a 'key' argument takes no flags, got 'grad'", "the member 'a' is given twice",
                "unknown dtype 'f31'; did you mean 'f32'?"});
}

}  // namespace
}  // namespace graphgen::annotation
