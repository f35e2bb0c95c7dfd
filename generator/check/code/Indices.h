// SPDX-License-Identifier: Apache-2.0
//
// The tensors that an index is by: x.index({mask, 0}), x.index_put_({i, j}, v), torch::index(x, {i}).
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace graphgen::check {

struct Indexing {
  const clang::CallExpr* Call = nullptr;
  clang::SourceLocation Where;
  std::vector<const clang::Expr*> Tensors;  // among the indices, as far as they are written out
  std::optional<unsigned> Integers;         // how many there are, where nothing else is among the indices
  const clang::Expr* Indexed = nullptr;
  const clang::Expr* Written = nullptr;  // the tensor of an index_put_; null of a number
  bool IsWrite = false;
  bool IsByTensorIndex = false;  // each tensor of no dimensions becomes a number of the host

  explicit operator bool() const { return Call != nullptr; }
};

/// S as that; else none.
Indexing indexing(const clang::Stmt& S);

/// A tensor's index by integers, slices, None and `...` alone, as far as the call writes them out: a view.
bool isSlicing(const clang::CallExpr& S);

}  // namespace graphgen::check
