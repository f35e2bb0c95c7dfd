// SPDX-License-Identifier: Apache-2.0
//
// What an object is made of that holds several others: a tuple, a pair, an array, a list, an aggregate, or what its class's constructor
// keeps.
#pragma once

#include "check/code/ReassignedParts.h"

namespace graphgen::check {

struct MadePart {
  const clang::Expr* Value = nullptr;  // what it is made of
  bool IsReference = false;            // to that value; else a copy of it

  explicit operator bool() const { return Value != nullptr; }
};

/// Of an object that E, a call, construction or list, makes; none where that is not written out.
MadePart partMade(const clang::Expr& E, const Selection& Part, ReassignedParts& Bodies);

/// The object that E copies, moves or hands on; null where it is none.
const clang::Expr* copiedWhole(const clang::Expr& E);

/// The elements that a list, an array or a vector is given, where they are written out; else null.
const clang::InitListExpr* listIn(const clang::Expr& E);

}  // namespace graphgen::check
