// SPDX-License-Identifier: Apache-2.0
//
// Which copies a call makes around its graphs: all, but where a without_copies scope measures.
#pragma once

namespace graphed {

struct copying {
  bool inputs = true;
  bool outputs = true;

  static copying of_this_thread();
};

}  // namespace graphed
