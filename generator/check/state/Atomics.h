// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes of std::atomic by calls. Its `=` is one as of every class.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// What std::atomic<T> holds; of another type itself.
clang::QualType withoutAtomic(clang::QualType Type);

/// The atomic that S reads, by `load` or as the value it holds; else null.
const clang::Expr* atomicRead(const clang::Stmt& S);

struct AtomicWrite {
  const clang::Expr* Target = nullptr;
  clang::SourceLocation Where;
  const clang::Expr* Value = nullptr;  // null where it is made of the old one

  explicit operator bool() const { return Target != nullptr; }
};

/// store, exchange, fetch_add, ++, +=; else none.
AtomicWrite atomicWrite(const clang::CallExpr& Call);

}  // namespace graphgen::check
