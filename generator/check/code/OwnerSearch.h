// SPDX-License-Identifier: Apache-2.0
//
// One question for an owner, on its way down an expression.
#pragma once

#include "check/code/Frame.h"
#include "check/code/MadeParts.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

class OwnerSearch {
 public:
  /// Of each list that is written out the element at `Place`.
  explicit OwnerSearch(const Frame& In, unsigned Place = 0) : In(In), Bodies(reassignedParts(In)), Place(Place) {}

  Owner find(const clang::Expr& E, Aspect Of);

  /// Of the part of what E makes, names or leads to.
  Owner findPart(const Selection& Part, Aspect Of);

  /// Of the longest such list on the way.
  unsigned countElements() const { return Count; }

 private:
  /// What makes an object, or what a body was given for it.
  struct Whole {
    const clang::Expr* Made = nullptr;
    bool IsReference = false;
    const Owners* Passed = nullptr;
    const clang::CXXRecordDecl* Class = nullptr;  // of what was given
  };

  Owner ofVariable(const clang::VarDecl& Variable, Aspect Of);
  Owner ofParameter(const clang::ParmVarDecl& Parameter, Aspect Of);
  Owner ofThis(Aspect Of) const;
  Owner ofMember(const clang::MemberExpr& E, Aspect Of);
  Owner ofMethod(const clang::CXXMemberCallExpr& Call, Aspect Of);
  Owner ofOperator(const clang::CXXOperatorCallExpr& Call, Aspect Of);
  Owner ofFunction(const clang::CallExpr& Call, Aspect Of);
  Owner ofList(const clang::InitListExpr& List, Aspect Of);
  Owner ofElement(const clang::Expr& E, const clang::Expr& List, Aspect Of);
  Owner ofTarget(const clang::Expr& Pointer, Aspect Of) { return find(Pointer, Of == Aspect::Variable ? Aspect::Pointee : Of); }
  Owner ofChoice(const clang::AbstractConditionalOperator& E, Aspect Of) {
    const Owner First = find(*E.getTrueExpr(), Of);
    return First == find(*E.getFalseExpr(), Of) ? First : Owner();
  }

  Owner ofMadePart(const Selection& Part, const Owner& Whole, Aspect Of);
  /// Of a local variable that was given another one at that place.
  bool isKeptAnew(const Selection& Part, Aspect Of) const;
  /// Of a list of tensors that the variable holds itself.
  bool isAnyElementReassigned(const clang::VarDecl& Variable) const;

  Whole wholeOf(const clang::Expr& E);
  Whole wholeOf(const clang::VarDecl& Variable);
  Whole partOf(const Selection& Part);

  /// The body that declares a parameter, or whose object `this` is; null where it is not on the way.
  const Frame* frameOf(const clang::ParmVarDecl& Parameter) const;
  const Frame* frameOfThis() const;

  const Frame& In;
  ReassignedParts& Bodies;
  const unsigned Place;
  unsigned Count = 1;
  unsigned Steps = 0;
};

}  // namespace graphgen::check
