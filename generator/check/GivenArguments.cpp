// SPDX-License-Identifier: Apache-2.0
//
// Parameters are looked for in order.
#include "check/GivenArguments.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

const clang::Expr* argumentGiven(const clang::FunctionDecl& Function, llvm::ArrayRef<const clang::Expr*> Arguments, llvm::StringRef Name) {
  for (unsigned Index = 0; Index < Arguments.size() && Index < Function.getNumParams(); ++Index) {
    if (Function.getParamDecl(Index)->getName() == Name) {
      return llvm::isa<clang::CXXDefaultArgExpr>(Arguments[Index]) ? nullptr : Arguments[Index];
    }
  }
  return nullptr;
}

const clang::Expr* argumentGiven(const clang::CallExpr& Call, llvm::StringRef Name) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  return Function ? argumentGiven(*Function, llvm::ArrayRef(Call.getArgs(), Call.getNumArgs()), Name) : nullptr;
}

bool isTrue(const clang::Expr* Argument) {
  const auto* Literal = Argument ? llvm::dyn_cast<clang::CXXBoolLiteralExpr>(Argument->IgnoreParenImpCasts()) : nullptr;
  return Literal && Literal->getValue();
}

}  // namespace graphgen::check
