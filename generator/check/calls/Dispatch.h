// SPDX-License-Identifier: Apache-2.0
//
// The bodies that a call may come to: of a virtual method those of the classes that the object may have.
#pragma once

#include "check/code/Callee.h"
#include "check/code/Frame.h"
#include "check/state/UnitIndex.h"

#include <vector>

namespace graphgen::check {

struct Target {
  const clang::FunctionDecl* Function;
  bool IsCertain;  // each time that the call is executed
  ObjectClass Object;
  std::optional<Note> Reason;  // why it is not the function that is named
};

/// Of S, which calls or names a function, in `In`; in the order of the text. Overrides of LibTorch's own methods are left out.
std::vector<Target> targetsOf(const clang::Stmt& S, const Callee& Called, const Frame& In, const UnitIndex& Index);

}  // namespace graphgen::check
