// SPDX-License-Identifier: Apache-2.0
//
// Callables that are kept without their types: in a std::function, in a pointer to a function, in a container of these.
#pragma once

#include "check/code/Frame.h"
#include "check/state/UnitIndex.h"

#include <vector>

namespace graphgen::check {

struct StoredCallable {
  const clang::FunctionDecl* Function;
  Note Stored;
};

/// Where S calls what a member or variable keeps: what the unit is seen to put there, in the order of the text.
std::vector<StoredCallable> storedCallables(const clang::Stmt& S, const Frame& In, const UnitIndex& Index);

}  // namespace graphgen::check
