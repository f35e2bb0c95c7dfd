// SPDX-License-Identifier: Apache-2.0
//
// Sparse tensors, of which some functions ask on the host how many elements there are, or how many are left of those with the same indices.
#pragma once

#include "clang/AST/Stmt.h"

namespace graphgen::check {

struct Coalescing {
  bool Is = false;
  bool IsCertain = false;  // of a tensor that is just made of indices and values

  explicit operator bool() const { return Is; }
};

/// S as a call that asks: coalesce(), a product of matrices, a function of each element, a part.
Coalescing coalescing(const clang::Stmt& S);

}  // namespace graphgen::check
