// SPDX-License-Identifier: Apache-2.0
//
// Lambdas and functions that the file puts into members and variables, from which bodies may call them.
#pragma once

#include "clang/AST/Type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class ASTContext;
class CXXRecordDecl;
class FunctionDecl;
class ValueDecl;
}  // namespace clang

namespace graphgen::scan {

/// A std::function, a pointer to a function or a method, or a list and the like of such.
bool holdsFunction(clang::QualType Type);

/// Each `operator()` of a lambda or functor; of a template those that are made of it.
llvm::SmallVector<const clang::FunctionDecl*, 1> callOperatorsOf(const clang::CXXRecordDecl& Class);

class StoredLambdas {
 public:
  explicit StoredLambdas(const clang::ASTContext& Context);

  /// The classes of those in `D`, a member or a variable that outlives a call.
  llvm::ArrayRef<const clang::CXXRecordDecl*> in(const clang::ValueDecl& D) const;
  /// The functions that the file puts there by their names.
  llvm::ArrayRef<const clang::FunctionDecl*> functionsIn(const clang::ValueDecl& D) const;

 private:
  class Collector;
  llvm::DenseMap<const clang::ValueDecl*, llvm::SmallVector<const clang::CXXRecordDecl*, 1>> Known;
  llvm::DenseMap<const clang::ValueDecl*, llvm::SmallVector<const clang::FunctionDecl*, 1>> Functions;
};

}  // namespace graphgen::scan
