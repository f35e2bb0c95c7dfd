// SPDX-License-Identifier: Apache-2.0
//
// Calls of functions that checks know by name: LibTorch's, the standard library's, CUDA's and C's.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::check {

struct KnownCall {
  const clang::CallExpr* Call = nullptr;
  const clang::FunctionDecl* Function = nullptr;
  std::string Name;             // with its namespaces and class, without those that are inline
  clang::SourceLocation Where;  // of the name

  explicit operator bool() const { return Call != nullptr; }
  llvm::StringRef shortName() const { return Function->getName(); }
  bool isOneOf(llvm::ArrayRef<llvm::StringLiteral> Names) const;
};

/// S as a call of such a function by its name; else none.
KnownCall knownCall(const clang::Stmt& S);

/// Declared in no namespace and no class, by C or by a system header.
bool isOfC(const clang::FunctionDecl& F);

}  // namespace graphgen::check
