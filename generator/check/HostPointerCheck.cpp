// SPDX-License-Identifier: Apache-2.0
//
// From a use of a pointer back to the call that took it from a tensor.
#include "check/HostPointerCheck.h"

#include "check/code/TensorCalls.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

/// The call that took the pointer from a tensor: looks through arithmetic on it.
TensorCall takenBy(const clang::Expr& Pointer) {
  constexpr unsigned MostSteps = 16;
  const clang::Expr* E = &originOf(Pointer);
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp()) {
      E = &originOf(*Unary->getSubExpr());
    } else if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(E); Binary && Binary->isAdditiveOp()) {
      E = &originOf(Binary->getLHS()->getType()->isPointerType() ? *Binary->getLHS() : *Binary->getRHS());
    } else {
      break;
    }
  }
  return E->getType()->isPointerType() ? tensorCall(*E, {"data_ptr", "mutable_data_ptr", "const_data_ptr", "data"}) : TensorCall();
}

/// The pointer that S looks through; null where it looks through none.
const clang::Expr* dereferenced(const clang::Stmt& S) {
  if (const auto* Subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&S)) {
    return Subscript->getBase();
  }
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&S);
  return Unary && Unary->getOpcode() == clang::UO_Deref ? Unary->getSubExpr() : nullptr;
}

/// Functions of the standard libraries that look through their pointers.
bool looksThroughPointers(const clang::FunctionDecl& F) {
  if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&F)) {
    return Constructor->getParent()->isInStdNamespace() && Constructor->getParent()->getName() == "vector";
  }
  return F.getIdentifier() && (F.isInStdNamespace() || F.isExternC()) &&
         llvm::StringSwitch<bool>(F.getName())
             .Cases({"memcpy", "memmove", "memset", "memcmp", "copy", "copy_n", "fill", "fill_n", "sort"}, true)
             .Cases({"accumulate", "transform", "max_element", "min_element", "for_each"}, true)
             .Default(false);
}

}  // namespace

void HostPointerCheck::check(const clang::Stmt& S, const Place& At) const {
  const auto Tell = [&](clang::SourceLocation Where, clang::SourceRange Range, std::vector<Note> Notes) {
    report(At, Where, Range, "a tensor's memory is used by the host, which is no part of a graph", std::move(Notes));
  };
  if (const TensorCall Accessor = tensorCall(S, {"accessor"})) {
    return Tell(Accessor.Where, Accessor.Call->getSourceRange(), {});
  }
  const auto Judge = [&](const clang::Expr& Pointer) {
    if (const TensorCall Taken = takenBy(Pointer)) {
      Tell(Pointer.getBeginLoc(), S.getSourceRange(), {{Taken.Where, "the pointer is taken here"}});
    }
  };
  if (const clang::Expr* Pointer = dereferenced(S)) {
    return Judge(*Pointer);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : Construction ? Construction->getConstructor() : nullptr;
  if (!Function || !looksThroughPointers(*Function)) {
    return;
  }
  const auto Arguments =
      Call ? llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()) : llvm::ArrayRef(Construction->getArgs(), Construction->getNumArgs());
  for (const clang::Expr* Each : Arguments) {
    if (takenBy(*Each)) {
      return Judge(*Each);
    }
  }
}

}  // namespace graphgen::check
