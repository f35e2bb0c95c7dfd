// SPDX-License-Identifier: Apache-2.0
//
// A c10::Dict or c10::List that the callable is given is changed. Its copies share the elements: the caller sees what warm-ups do to it,
// and nothing of replays.
#include "check/rules/SharedHandle.h"

#include "check/code/Classes.h"
#include "check/rules/Words.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// Of the handle itself, or of an element that is shown by a proxy.
bool changesHandle(const clang::CXXMethodDecl& Method) {
  const llvm::StringRef Class = Method.getParent()->getIdentifier() ? Method.getParent()->getName() : "";
  const llvm::StringRef Name = Method.getIdentifier() ? Method.getName() : "";
  if (Class == "DictEntryRef") {
    return Name == "setValue";
  }
  if (Class == "ListElementReference") {
    return Method.getOverloadedOperator() == clang::OO_Equal;
  }
  return (Class == "Dict" || Class == "List") && llvm::is_contained({"insert", "insert_or_assign", "erase", "clear", "set", "push_back",
                                                                     "emplace", "emplace_back", "append", "pop_back", "resize", "extract"},
                                                                    Name);
}

/// Through copies, elements and iterators of the handle.
const clang::Expr& handleBehind(const clang::Expr& Object) {
  const clang::Expr* E = Object.IgnoreUnlessSpelledInSource();
  while (true) {
    const clang::Expr* Further = nullptr;
    if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E)) {
      const bool IsElement = llvm::is_contained({clang::OO_Subscript, clang::OO_Star, clang::OO_Arrow}, Operator->getOperator());
      Further = IsElement ? Operator->getArg(0) : nullptr;
    } else if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(E)) {
      Further = Unary->getOpcode() == clang::UO_Deref ? Unary->getSubExpr() : nullptr;
    } else if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E)) {
      const clang::CXXMethodDecl* Method = Call->getMethodDecl();
      const bool IsIterator = Method && Method->getIdentifier() && llvm::is_contained({"begin", "find", "end"}, Method->getName());
      Further = IsIterator ? Call->getImplicitObjectArgument() : nullptr;
    } else if (const auto* Copy = llvm::dyn_cast<clang::CXXConstructExpr>(E)) {
      Further = Copy->getNumArgs() == 1 && Copy->getConstructor()->isCopyOrMoveConstructor() ? Copy->getArg(0) : nullptr;
    } else if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
      const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
      const bool IsLocal = Variable && Variable->hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(Variable);
      Further = IsLocal ? Variable->getInit() : nullptr;
    }
    if (!Further) {
      return *E;
    }
    E = Further->IgnoreUnlessSpelledInSource();
  }
}

/// The parameter that the expression is, or is a member of.
const clang::ParmVarDecl* parameterIn(const clang::Expr& E) {
  const clang::Expr* Base = &E;
  while (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Base)) {
    Base = Member->getBase()->IgnoreUnlessSpelledInSource();
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Base);
  return Name ? llvm::dyn_cast<clang::ParmVarDecl>(Name->getDecl()) : nullptr;
}

}  // namespace

bool isHandle(clang::QualType Type) {
  const llvm::StringRef Name = libraryClass(Type.getNonReferenceType());
  return Name == "Dict" || Name == "List";
}

const clang::Expr* objectOf(const clang::Stmt& Call) {
  if (const auto* OfMember = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
    return OfMember->getImplicitObjectArgument();
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  return Operator && Operator->getNumArgs() > 0 ? Operator->getArg(0) : nullptr;
}

const clang::ParmVarDecl* givenHandle(const clang::Expr& Object, const Way& In) {
  const clang::ParmVarDecl* Parameter = parameterIn(handleBehind(Object));
  const Way* At = &In;
  while (Parameter && At->Caller) {
    const size_t Place = Parameter->getFunctionScopeIndex();
    const clang::Expr* Given = Place < At->Entered->Expressions.size() ? At->Entered->Expressions[Place] : nullptr;
    Parameter = Given ? parameterIn(handleBehind(*Given)) : nullptr;
    At = At->Caller;
  }
  return Parameter;
}

namespace {

/// Each call returns a handle by reference to non-const.
bool isGivenBack(const clang::ParmVarDecl& Parameter) {
  const clang::QualType Type = Parameter.getType();
  return Type->isLValueReferenceType() && !Type->getPointeeType().isConstQualified() && isHandle(Type);
}

void judgeChange(const Occurrence& At) {
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(At.Its.Function);
  const clang::Expr* Object = Method && changesHandle(*Method) ? objectOf(*At.Its.At) : nullptr;
  const clang::ParmVarDecl* Given = Object ? givenHandle(*Object, At.In) : nullptr;
  if (Given && !isGivenBack(*Given)) {
    Finding New{At.Rule,
                At.where(),
                At.Its.At->getSourceRange(),
                "'" + operationOf(At.Its) + "' changes the argument '" + Given->getName().str() +
                    "', whose elements the caller has as well: replays leave them as they are; change a 'copy()' and return it",
                {},
                At.isCertain(),
                {}};
    New.Handle = At.Annotations.empty() ? Given : nullptr;
    At.tell(std::move(New));
  }
}

}  // namespace

const Rule rules::SharedHandle{.OnCall = judgeChange};

}  // namespace graphgen::check
