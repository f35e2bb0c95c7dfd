// SPDX-License-Identifier: Apache-2.0
#include <graphed/without_copies.h>

#include "slot/copying.h"

namespace graphed {
namespace {

thread_local int inputs_left_out = 0;
thread_local int outputs_left_out = 0;

void add(copies left_out, int depth) {
  inputs_left_out += left_out != copies::outputs ? depth : 0;
  outputs_left_out += left_out != copies::inputs ? depth : 0;
}

}  // namespace

without_copies::without_copies(copies left_out) noexcept : left_out_(left_out) { add(left_out_, 1); }

without_copies::~without_copies() { add(left_out_, -1); }

copying copying::of_this_thread() { return {inputs_left_out == 0, outputs_left_out == 0}; }

}  // namespace graphed
