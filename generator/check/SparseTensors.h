// SPDX-License-Identifier: Apache-2.0
//
// Sparse tensors whose indices may be there twice: what adds up the values of those counts, on the host, how many are left.
#pragma once

#include "clang/AST/Stmt.h"

namespace graphgen::check {

struct Coalescing {
  bool Is = false;
  bool IsCertain = false;  // of a tensor that is just made of indices and values

  explicit operator bool() const { return Is; }
};

/// S as a call that does so: coalesce(), a product of matrices, a function of each element.
Coalescing coalescing(const clang::Stmt& S);

}  // namespace graphgen::check
