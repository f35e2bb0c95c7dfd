// SPDX-License-Identifier: Apache-2.0
//
// Of which classes the objects are that a pointer leads to.
#pragma once

#include "check/state/UnitIndex.h"

#include <vector>

namespace graphgen::check {

struct MadeClasses {
  std::vector<const clang::CXXRecordDecl*> Classes;
  bool AreAll = true;  // no other file can give the pointer an object of another one
};

/// By `new`, `std::make_unique` and `std::make_shared` in all that the unit gives the pointer, or the container that E is an element of;
/// empty where something else may be given to it.
MadeClasses madeClasses(const clang::Expr& Pointer, const UnitIndex& Index);

}  // namespace graphgen::check
