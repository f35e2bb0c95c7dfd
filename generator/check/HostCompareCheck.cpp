// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names; modules by their classes.
#include "check/HostCompareCheck.h"

#include "check/Library.h"
#include "check/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// They ask torch::equal whether query, key and value are one tensor, or hold a module that does.
constexpr llvm::StringLiteral Attentive[] = {"MultiheadAttention",      "Transformer",        "TransformerEncoder",
                                             "TransformerEncoderLayer", "TransformerDecoder", "TransformerDecoderLayer"};

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

}  // namespace

void HostCompareCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"equal", "allclose"})) {
    return report(At, Read.Where, Read.Call->getSourceRange(), "'" + Read.Name + "' compares tensors on the host, which a graph cannot do");
  }
  if (const llvm::StringRef Module = attentiveRun(S); !Module.empty()) {
    report(At, llvm::cast<clang::Expr>(S).getExprLoc(), S.getSourceRange(),
           "'torch::nn::" + Module + "' compares query, key and value on the host, which a graph cannot do");
  }
}

}  // namespace graphgen::check
