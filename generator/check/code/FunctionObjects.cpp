// SPDX-License-Identifier: Apache-2.0
#include "check/code/FunctionObjects.h"

#include "check/code/Library.h"
#include "check/code/Stores.h"
#include "scan/Libraries.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check {
namespace {

using All = llvm::MapVector<const clang::FunctionDecl*, FunctionObject>;

const clang::CXXMethodDecl* callOperatorOf(const clang::CXXRecordDecl& Class) {
  const auto IsIt = [](const clang::CXXMethodDecl* Each) { return Each->getOverloadedOperator() == clang::OO_Call; };
  const auto Found = llvm::find_if(Class.methods(), IsIt);
  return Found == Class.method_end() ? nullptr : *Found;
}

bool outlivesFunctions(const clang::ValueDecl& D) {
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D);
  return llvm::isa<clang::FieldDecl>(D) || (Variable && Variable->hasGlobalStorage());
}

class Collector : public clang::DynamicRecursiveASTVisitor {
 public:
  All Found;

  bool TraverseDecl(clang::Decl* D) override {
    const auto* Field = llvm::dyn_cast_if_present<clang::FieldDecl>(D);
    const auto* Variable = llvm::dyn_cast_if_present<clang::VarDecl>(D);
    const llvm::SaveAndRestore Its(Store, Field                                      ? Field
                                          : Variable && outlivesFunctions(*Variable) ? Variable
                                                                                     : static_cast<const clang::ValueDecl*>(nullptr));
    return !D || scan::isForeign(*D) || clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer* Init) override {
    const llvm::SaveAndRestore<const clang::ValueDecl*> Its(Store, Init->getAnyMember());
    return clang::DynamicRecursiveASTVisitor::TraverseConstructorInitializer(Init);
  }
  bool TraverseCXXOperatorCallExpr(clang::CXXOperatorCallExpr* Call) override {
    const bool IsAssignment = Call->getOperator() == clang::OO_Equal;
    const clang::ValueDecl* To = IsAssignment ? storeOf(*Call->getArg(0)) : Store;
    const llvm::SaveAndRestore Its(Store, To && outlivesFunctions(*To) ? To : nullptr);
    if (IsAssignment) {
      addConversion(*Call);
    }
    return clang::DynamicRecursiveASTVisitor::TraverseCXXOperatorCallExpr(Call);
  }
  bool TraverseCXXMemberCallExpr(clang::CXXMemberCallExpr* Call) override {
    const clang::Expr* Target = storeGivenTo(*Call);
    const clang::ValueDecl* To = Target ? storeOf(*Target) : nullptr;
    const llvm::SaveAndRestore Its(Store, To && outlivesFunctions(*To) ? To : Store);
    return clang::DynamicRecursiveASTVisitor::TraverseCXXMemberCallExpr(Call);
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* Lambda) override {
    const llvm::SaveAndRestore Its(Store, static_cast<const clang::ValueDecl*>(nullptr));
    return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Lambda);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* E) override {
    if (E->getNumArgs() != 0) {
      add(*E->getConstructor()->getParent(), *E->getArg(0));
    }
    return true;
  }

 private:
  /// `shape = [](...) { ... }` converts in a template of std::function's.
  void addConversion(const clang::CXXOperatorCallExpr& Assignment) {
    if (const clang::CXXRecordDecl* To = Assignment.getArg(0)->getType()->getAsCXXRecordDecl()) {
      add(*To, *Assignment.getArg(1));
    }
  }

  void add(const clang::CXXRecordDecl& To, const clang::Expr& Given) {
    const bool IsFunction = To.isInStdNamespace() && To.getName() == "function";
    const clang::CXXMethodDecl* Operator = IsFunction ? callOperatorOf(To) : nullptr;
    const clang::Expr* E = Given.IgnoreImplicit();
    const clang::CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
    if (!Operator) {
      return;
    }
    if (Class && Class->hasDefinition() && !isOfLibrary(*Class)) {
      llvm::for_each(Class->getDefinition()->decls(), [&](const clang::Decl* Each) { addOperator(*Operator, *Each); });
    } else if (const auto* Function = functionNamedBy(*E)) {
      add(*Operator, *Function);
    }
  }

  static const clang::FunctionDecl* functionNamedBy(const clang::Expr& Given) {
    const clang::Expr* E = Given.IgnoreParenImpCasts();
    const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(E);
    E = Address && Address->getOpcode() == clang::UO_AddrOf ? Address->getSubExpr()->IgnoreParenImpCasts() : E;
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
    return Name ? llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl()) : nullptr;
  }

  void addOperator(const clang::CXXMethodDecl& Operator, const clang::Decl& Member) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Member);
    const auto* Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(&Member);
    if (Method && Method->getOverloadedOperator() == clang::OO_Call) {
      add(Operator, *Method);
    } else if (Template && Template->getTemplatedDecl()->getOverloadedOperator() == clang::OO_Call) {
      llvm::for_each(Template->specializations(), [&](const clang::FunctionDecl* Each) { add(Operator, *Each); });
    }
  }

  void add(const clang::CXXMethodDecl& Operator, const clang::FunctionDecl& Run) {
    FunctionObject& Its = Found[&Run];
    Its.Store = Its.Of.empty() || Its.Store == Store ? Store : nullptr;
    Its.Of.insert(&Operator);
  }

  const clang::ValueDecl* Store = nullptr;
};

}  // namespace

All functionObjectsIn(const clang::ASTContext& Context) {
  Collector Collect;
  for (clang::Decl* Each : Context.getTranslationUnitDecl()->noload_decls()) {
    Collect.TraverseDecl(Each);
  }
  return std::move(Collect.Found);
}

}  // namespace graphgen::check
