// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names; modules by their classes.
#include "check/HostCompareCheck.h"

#include "check/Library.h"
#include "check/ModuleRuns.h"
#include "check/Reassigned.h"
#include "check/Spelled.h"
#include "check/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// They ask torch::equal whether query, key and value are one tensor, or hold a module that does.
constexpr llvm::StringLiteral Attentive[] = {"MultiheadAttention",      "Transformer",        "TransformerEncoder",
                                             "TransformerEncoderLayer", "TransformerDecoder", "TransformerDecoderLayer"};

/// The variable that E names; of a local one that is another name for one tensor, that which it was made of.
const clang::ValueDecl* variableOf(const clang::Expr& Given) {
  constexpr unsigned MostNames = 8;
  const clang::Expr* E = &withoutCasts(Given);
  for (unsigned Each = 0; Each < MostNames; ++Each) {
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    if (Construction && Construction->getNumArgs() == 1 && Construction->getConstructor()->isCopyOrMoveConstructor()) {
      E = &withoutCasts(*Construction->getArg(0));
      continue;
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
    const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    const bool IsOtherName = Variable && Variable->isLocalVarDecl() && Variable->getInit() && !isReassigned(*Variable);
    const clang::Expr* Origin = IsOtherName ? &withoutCasts(*Variable->getInit()) : nullptr;
    if (!Origin || !llvm::isa<clang::DeclRefExpr, clang::CXXConstructExpr>(Origin)) {
      return Variable;
    }
    E = Origin;
  }
  return nullptr;
}

/// The name of such a module that S runs, by net->forward(x) or net(x); else empty.
llvm::StringRef attentiveRun(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const auto* Method = Call ? llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
  if (!Method || !isOfLibrary(*Method)) {
    return {};
  }
  const bool IsForward = Method->getIdentifier() && Method->getName() == "forward";
  const bool IsOfHolder = Method->getOverloadedOperator() == clang::OO_Call;
  llvm::StringRef Name = IsForward    ? Method->getParent()->getName()
                         : IsOfHolder ? libraryClass(Call->getArg(0)->IgnoreParenImpCasts()->getType())
                                      : "";
  Name.consume_back("Impl");
  return llvm::is_contained(Attentive, Name) ? Name : llvm::StringRef();
}

/// Whether query, key and value are one variable: torch::equal answers for a tensor and itself without a look at the values.
bool attendsToItself(const clang::Stmt& S) {
  const llvm::ArrayRef<const clang::Expr*> Given = moduleRun(S).Arguments;
  if (Given.size() < 3) {
    return false;
  }
  const clang::ValueDecl* Query = variableOf(*Given[0]);
  return Query && Query == variableOf(*Given[1]) && Query == variableOf(*Given[2]);
}

}  // namespace

void HostCompareCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"equal", "allclose"})) {
    return report(At, Read.Where, Read.Call->getSourceRange(), "'" + Read.Name + "' compares tensors on the host, which a graph cannot do");
  }
  if (const llvm::StringRef Module = attentiveRun(S); !Module.empty() && !(Module == "MultiheadAttention" && attendsToItself(S))) {
    report(At, llvm::cast<clang::Expr>(S).getExprLoc(), S.getSourceRange(),
           "'torch::nn::" + Module + "' compares query, key and value on the host, which a graph cannot do");
  }
}

}  // namespace graphgen::check
