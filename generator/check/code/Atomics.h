// SPDX-License-Identifier: Apache-2.0
//
// Writes of std::atomic by calls. Its `=` is one as of every class.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// What std::atomic<T> holds; of another type itself.
clang::QualType withoutAtomic(clang::QualType Type);

struct AtomicWrite {
  const clang::Expr* Target = nullptr;
  clang::SourceLocation Where;
  const clang::Expr* Value = nullptr;  // null where it is made of the old one

  explicit operator bool() const { return Target != nullptr; }
};

/// store, exchange, fetch_add, ++, +=; else none.
AtomicWrite atomicWrite(const clang::CallExpr& Call);

}  // namespace graphgen::check
