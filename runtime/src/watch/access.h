// SPDX-License-Identifier: Apache-2.0
//
// What an operator does to the memory of its arguments.
#pragma once

#include "watch/observer.h"

#include <cstddef>

namespace graphed {

enum class access {
  read,
  write,
  hidden_write,  ///< which neither the schema nor a version counter tells
};

/// To the argument with this index.
access access_to_argument(const operator_call& call, std::size_t index);

}  // namespace graphed
