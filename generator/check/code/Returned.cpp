// SPDX-License-Identifier: Apache-2.0
#include "check/code/Returned.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isOfScalar(const clang::CXXMethodDecl& Method) {
  return Method.getParent()->getIdentifier() && Method.getParent()->getName() == "Scalar";
}

/// Of a part of a variable, the variable; else null.
const clang::ValueDecl* wholeOf(const clang::Expr* Part) {
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Part->IgnoreParenImpCasts());
  if (!Member || Member->isArrow()) {
    return nullptr;
  }
  const clang::Expr* Base = Member->getBase()->IgnoreParenImpCasts();
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Base);
  return Name ? Name->getDecl() : wholeOf(Base);
}

class Uses : public clang::DynamicRecursiveASTVisitor {
 public:
  bool VisitReturnStmt(clang::ReturnStmt* Each) override {
    if (Each->getRetValue()) {
      Returned.push_back(Each->getRetValue());
    }
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* Each) override {
    if (Each->getOpcode() == clang::BO_Assign) {
      addAssigned(*Each->getLHS(), *Each->getRHS());
    }
    return true;
  }

  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* Each) override {
    if (Each->getOperator() == clang::OO_Equal) {
      addAssigned(*Each->getArg(0), *Each->getArg(1));
    }
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* Each) override {
    ++Named[Each->getDecl()];
    return true;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr* Each) override {
    for (const clang::LambdaCapture& Its : Each->captures()) {
      if (Its.capturesVariable()) {
        ++Named[Its.getCapturedVar()];
      }
    }
    return true;
  }

  llvm::SmallVector<const clang::Expr*> Returned;
  llvm::DenseMap<const clang::ValueDecl*, unsigned> Named;
  llvm::DenseMap<const clang::ValueDecl*, llvm::SmallVector<const clang::Expr*>> Assigned;  // to its parts

 private:
  void addAssigned(const clang::Expr& Part, const clang::Expr& Given) {
    if (const clang::ValueDecl* Whole = wholeOf(&Part)) {
      Assigned[Whole].push_back(&Given);
    }
  }
};

/// Of a result the values that it is made of.
class Parts {
 public:
  void add(const clang::Expr* Whole) {
    const clang::Expr* E = Whole->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (const auto* Braces = llvm::dyn_cast<clang::InitListExpr>(E)) {
      llvm::for_each(Braces->inits(), [&](const clang::Expr* Each) { add(Each); });
    } else if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(E); Made && keepsArguments(*Made->getConstructor())) {
      llvm::for_each(Made->arguments(), [&](const clang::Expr* Each) { add(Each); });
    } else if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(E)) {
      addCall(*Call);
    } else if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
      ++Named[Name->getDecl()];
    }
  }

  llvm::SmallVector<const clang::CallExpr*> Calls;
  llvm::MapVector<const clang::ValueDecl*, unsigned> Named;

 private:
  void addCall(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    const auto* Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
    if (Function && Member && isConversion(*Function)) {
      add(Member->getImplicitObjectArgument());
    } else if (Function && !Member && keepsArguments(*Function)) {
      llvm::for_each(Call.arguments(), [&](const clang::Expr* Each) { add(Each); });
    } else {
      Calls.push_back(&Call);
    }
  }
};

bool isOwn(const clang::VarDecl& Variable) {
  return Variable.hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(Variable) && !Variable.getType()->isReferenceType();
}

}  // namespace

bool keepsArguments(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  if (llvm::isa<clang::CXXConstructorDecl>(F)) {
    const clang::CXXRecordDecl& Class = *Method->getParent();
    const clang::CXXRecordDecl* First = F.getNumParams() == 0 ? nullptr : F.getParamDecl(0)->getType()->getAsCXXRecordDecl();
    const bool IsOfBraces = First && First->getIdentifier() && First->getName() == "initializer_list";
    const bool MayCount = Class.isInStdNamespace() && !IsOfBraces && !llvm::is_contained({"pair", "tuple", "optional"}, Class.getName());
    return !isOfScalar(*Method) && !MayCount;
  }
  const bool IsOfStd = Method ? Method->getParent()->isInStdNamespace() : F.isInStdNamespace();
  return IsOfStd && F.getIdentifier() &&
         llvm::is_contained(
             {"make_pair", "make_tuple", "make_optional", "forward", "move", "push_back", "emplace_back", "emplace", "insert"},
             F.getName());
}

bool isConversion(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && F.getIdentifier() && F.getName().starts_with("to") && isOfScalar(*Method);
}

llvm::SmallVector<const clang::CallExpr*> returnedCalls(const clang::FunctionDecl& Definition) {
  Uses All;
  All.TraverseStmt(Definition.getBody());
  Parts Result;
  llvm::for_each(All.Returned, [&](const clang::Expr* Each) { Result.add(Each); });
  for (size_t Next = 0; Next < Result.Named.size(); ++Next) {
    const auto [Name, Count] = *(Result.Named.begin() + Next);
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name);
    const auto Assigned = All.Assigned.lookup(Name);
    if (!Variable || !isOwn(*Variable) || Count + Assigned.size() != All.Named.lookup(Name)) {
      continue;
    }
    llvm::for_each(Assigned, [&](const clang::Expr* Each) { Result.add(Each); });
    if (Variable->getInit()) {
      Result.add(Variable->getInit());
    }
  }
  return std::move(Result.Calls);
}

}  // namespace graphgen::check
