// SPDX-License-Identifier: Apache-2.0
//
// Parameters are looked for in order.
#include "check/code/GivenArguments.h"

#include "check/code/Spelled.h"

#include "clang/AST/ASTContext.h"
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

llvm::ArrayRef<const clang::Expr*> argumentsOf(const clang::Stmt& S, const clang::FunctionDecl& Called) {
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S)) {
    return llvm::ArrayRef(Construction->getArgs(), Construction->getNumArgs());
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  if (!Call) {
    return {};
  }
  const llvm::ArrayRef<const clang::Expr*> Given(Call->getArgs(), Call->getNumArgs());
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
  const bool BeginsWithObject = llvm::isa<clang::CXXOperatorCallExpr>(Call) && Method && !Method->isStatic() && !Given.empty();
  return BeginsWithObject ? Given.drop_front() : Given;
}

static bool isTrueConstant(const clang::VarDecl& Named) {
  const clang::VarDecl* Variable = &Named;
  const bool IsConstant = Named.getType().isConstQualified() && !llvm::isa<clang::ParmVarDecl>(Named);
  const clang::Expr* Initializer = IsConstant ? Named.getAnyInitializer(Variable) : nullptr;
  const clang::APValue* Value = Initializer && !Initializer->isValueDependent() ? Variable->evaluateValue() : nullptr;
  return Value && Value->isInt() && Value->getInt().getBoolValue();
}

bool isTrue(const clang::Expr* Argument) {
  const clang::Expr* E = Argument ? &spelled(*Argument) : nullptr;
  if (const auto* Literal = llvm::dyn_cast_if_present<clang::CXXBoolLiteralExpr>(E)) {
    return Literal->getValue();
  }
  const auto* Name = llvm::dyn_cast_if_present<clang::DeclRefExpr>(E);
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  return Variable && isTrueConstant(*Variable);
}

bool isFalse(const clang::Expr* Argument, const clang::ASTContext& Context) {
  bool Value = true;
  return Argument && !Argument->isValueDependent() && Argument->EvaluateAsBooleanCondition(Value, Context) && !Value;
}

}  // namespace graphgen::check
