// SPDX-License-Identifier: Apache-2.0
//
// Looks for the variable, then at every mention of it.
#include "check/calls/UnusedLambdas.h"

#include "check/code/Spelled.h"

#include "clang/AST/Stmt.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isMadeOf(const clang::Decl* D, const clang::LambdaExpr& Lambda) {
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(D);
  return Variable && Variable->getInit() && &spelled(*Variable->getInit()) == &Lambda;
}

const clang::VarDecl* variableOf(const clang::LambdaExpr& Lambda, const clang::Stmt& S) {
  if (const auto* Declarations = llvm::dyn_cast<clang::DeclStmt>(&S)) {
    const auto Found = llvm::find_if(Declarations->decls(), [&](const clang::Decl* Each) { return isMadeOf(Each, Lambda); });
    return Found == Declarations->decl_end() ? nullptr : llvm::cast<clang::VarDecl>(*Found);
  }
  for (const clang::Stmt* Each : S.children()) {
    if (const clang::VarDecl* Found = Each ? variableOf(Lambda, *Each) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

bool uses(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (const auto* Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&S); Cast && Cast->getCastKind() == clang::CK_ToVoid) {
    return !llvm::isa<clang::DeclRefExpr>(Cast->getSubExpr()->IgnoreParens()) && uses(*Cast->getSubExpr(), Variable);
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S);
  return (Name && Name->getDecl() == &Variable) ||
         llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && uses(*Each, Variable); });
}

}  // namespace

bool isUnused(const clang::LambdaExpr& Lambda, const Frame& In) {
  const clang::Stmt* Body = In.Function->getBody();
  const clang::VarDecl* Variable = Body ? variableOf(Lambda, *Body) : nullptr;
  return Variable && Variable->isLocalVarDecl() && !Variable->isStaticLocal() && !uses(*Body, *Variable);
}

}  // namespace graphgen::check
