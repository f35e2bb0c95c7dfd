// SPDX-License-Identifier: Apache-2.0
//
// Each use of the parameter's name is made const at once.
#include "check/code/ReadOnly.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"

namespace graphgen::check {
namespace {

class Counter : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit Counter(const clang::ParmVarDecl& Parameter) : Parameter(Parameter) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* E) override {
    Uses += E->getDecl() == &Parameter ? 1 : 0;
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* E) override {
    const auto* Named = llvm::dyn_cast<clang::DeclRefExpr>(E->getSubExpr()->IgnoreParens());
    ConstUses += Named && Named->getDecl() == &Parameter && E->getType().isConstQualified() ? 1 : 0;
    return true;
  }

  bool areAllConst() const { return Uses == ConstUses; }

 private:
  const clang::ParmVarDecl& Parameter;
  unsigned Uses = 0, ConstUses = 0;
};

}  // namespace

bool isReadOnly(const clang::ParmVarDecl& Parameter, const clang::FunctionDecl& Definition) {
  Counter Count(Parameter);
  Count.TraverseStmt(Definition.getBody());
  return Count.areAllConst();
}

}  // namespace graphgen::check
