// SPDX-License-Identifier: Apache-2.0
//
// What the bodies of the whole translation unit do to members and to variables that outlive a call. LibTorch's own, the standard library's
// and other system headers' bodies are left out; of a template the pattern counts, not its instances.
#pragma once

#include "check/code/Paths.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <vector>

namespace graphgen::check {

struct StateWrite {
  const clang::FunctionDecl* Writer;  // no lambda; null in an initializer of the unit's
  clang::SourceLocation Where;
  Path To;
  const clang::Expr* Value;  // null where it is the old one, changed: ++
  bool IsUpdate;             // the new value is made of the old one
  bool IsRepeated;           // in a loop of the writer's
};

struct StateUse {
  const clang::FunctionDecl* User;
  const clang::FunctionDecl* Called;  // on it, with it, or with its address
  clang::SourceLocation Where;
};

struct CallSite {
  const clang::FunctionDecl* Caller;  // null in an initializer of the unit's
  bool IsRepeated;                    // in a loop of the caller's
};

class UnitIndex {
 public:
  explicit UnitIndex(const clang::ASTContext& Context);
  ~UnitIndex();
  UnitIndex(const UnitIndex&) = delete;
  UnitIndex& operator=(const UnitIndex&) = delete;

  /// Of a member or variable, in the order of the text; its initializers are none.
  llvm::ArrayRef<StateWrite> writesTo(const clang::ValueDecl& D) const;

  /// What a member or variable is made of: its own initializer, those of constructors and of aggregates, and what is assigned.
  std::vector<const clang::Expr*> valuesOf(const clang::ValueDecl& D) const;

  /// What is put into a member or variable, or into one that holds it: `ops.push_back(f)`, `ops[name] = f`, `held.reset(new Policy)`.
  llvm::ArrayRef<const clang::Expr*> putsInto(const clang::ValueDecl& D) const;

  /// What calls and constructions give a parameter.
  llvm::ArrayRef<const clang::Expr*> argumentsFor(const clang::ParmVarDecl& Parameter) const;

  /// The methods that override it directly, instances of templates among them, in the order of the text.
  llvm::ArrayRef<const clang::CXXMethodDecl*> overridesOf(const clang::CXXMethodDecl& Method) const;

  /// All methods that override another one, in the order of the text.
  llvm::ArrayRef<const clang::CXXMethodDecl*> overriding() const;

  /// Calls that a member or variable is given to, or that are calls of its methods.
  llvm::ArrayRef<StateUse> usesOf(const clang::ValueDecl& D) const;

  /// Where the functions of the unit call F.
  llvm::ArrayRef<CallSite> callsOf(const clang::FunctionDecl& F) const;

 private:
  struct Facts;
  const Facts& facts() const;

  const clang::ASTContext& Context;
  mutable std::unique_ptr<Facts> Known;  // made when first asked for
};

}  // namespace graphgen::check
