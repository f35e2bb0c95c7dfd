// SPDX-License-Identifier: Apache-2.0
//
// `<<` to a stream, at::print and c10::str, which TORCH_WARN and its like call.
#include "check/HostPrintCheck.h"

#include "check/code/Library.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/FormBranches.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// A tensor, or a list of some.
bool showsTensor(clang::QualType Type) {
  Type = Type.getNonReferenceType();
  const auto* Instance = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Type->getAsRecordDecl());
  if (!Instance || !isOfLibrary(*Instance) || Instance->getTemplateArgs().size() == 0) {
    return isTensor(Type);
  }
  const clang::TemplateArgument& Element = Instance->getTemplateArgs()[0];
  return Element.getKind() == clang::TemplateArgument::Type && isTensor(Element.getAsType());
}

bool isStreamed(const clang::CallExpr& Call) {
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  return Operator && Operator->getOperator() == clang::OO_LessLess && libraryClass(Operator->getArg(0)->getType()).ends_with("stream") &&
         showsTensor(Operator->getArg(1)->getType());
}

bool isPrinter(const clang::FunctionDecl& Function) {
  return Function.getIdentifier() && isOfLibrary(Function) && (Function.getName() == "print" || Function.getName() == "str");
}

}  // namespace

void HostPrintCheck::check(const clang::Stmt& S, const Place& At) const {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || llvm::isa<clang::CXXMemberCallExpr>(Call) || !isOfLibrary(*Function)) {
    return;
  }
  const bool IsPrinted =
      isPrinter(*Function) && llvm::any_of(Call->arguments(), [](const clang::Expr* Each) { return showsTensor(Each->getType()); });
  const bool IsComplaint = isStreamed(*Call) && isErrorStream(*Call->getArg(0)) && isUnderForm(S, *At.In.Function);
  if (IsPrinted || (isStreamed(*Call) && !IsComplaint)) {
    report(At, Call->getExprLoc(), Call->getSourceRange(), "printing a tensor reads it on the host, which a graph cannot do");
  }
}

}  // namespace graphgen::check
