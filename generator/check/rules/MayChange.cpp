// SPDX-License-Identifier: Apache-2.0
#include "check/rules/MayChange.h"

#include "check/code/KnownValues.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Stores.h"
#include "check/flow/Types.h"
#include "check/rules/Captured.h"
#include "check/rules/PlaceUse.h"
#include "check/rules/Settled.h"
#include "check/rules/Tensors.h"
#include "scan/Libraries.h"
#include "scan/MemberReads.h"
#include "scan/MemberTypes.h"
#include "scan/ReadsBehind.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ASTContext.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using Functions = Changes::Functions;

/// Whether who reads the annotation sees the body, by bodies that are seen.
bool isSeen(const scan::ScannedCallable& Callable, const Way& In) {
  const Way* Each = &In;
  while (Each && scan::isSeenWithAnnotation(*Callable.Declaration, *Each->Of.Function)) {
    Each = Each->Caller;
  }
  return !Each;
}

/// A method returns a reference to it, or a pointer.
bool isShown(const clang::FieldDecl& Member) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Member.getParent());
  return Class && llvm::any_of(Class->methods(), [&](const clang::CXXMethodDecl* Each) {
           const clang::MemberExpr* Given = memberGivenBy(*Each);
           return Given && Given->getMemberDecl() == &Member;
         });
}

/// The class, or all that can name the member, is in this unit.
bool isOfUnit(const clang::FieldDecl& Member) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Member.getParent());
  const bool IsOfSource = Class && scan::isInMainFile(*Class) && !Class->getASTContext().getLangOpts().IsHeaderFile;
  const bool IsHidden = Class && Member.getAccess() == clang::AS_private && !Class->hasFriends() && !isShown(Member);
  return IsOfSource || (IsHidden && areMethodsDefinedHere(*Class));
}

/// Each source that includes the header has such a variable, or its own one if it has internal linkage.
bool isDeclaredToOthers(const clang::VarDecl& Variable) {
  const bool IsOfHeader =
      !scan::isInMainFile(*Variable.getCanonicalDecl()) || Variable.getASTContext().getLangOpts().IsHeaderFile || !Variable.getDefinition();
  return IsOfHeader && !Variable.isStaticLocal();
}

/// A library's object that calls do not compare is asked for what it holds.
bool isAsked(const clang::ValueDecl& Named, const Occurrence& At) {
  const auto* Method = At.Its.What == flow::Fact::Kind::Call ? llvm::dyn_cast_if_present<clang::CXXMethodDecl>(At.Its.Function) : nullptr;
  const clang::QualType Given = Method ? Method->getReturnType() : clang::QualType();
  return Method && isOfLibrary(*Method) && !Method->isOverloadedOperator() && !Given->isVoidType() &&
         (Method->isConst() || Given->isLValueReferenceType()) && scan::isUncompared(Named);
}

/// By another file, to which a header declares it, by a caller of the function that returns it, or by this unit. Where
/// generated code can name it, graphed-unwatched reports what bodies read that are seen with the annotation.
bool mayChange(const clang::VarDecl& Variable, const clang::ValueDecl& Named, const Occurrence& At, const Functions& Running) {
  const bool LeadsToOther = Variable.getType()->isReferenceType() || Variable.getType()->isAnyPointerType();
  const bool IsConstant = !LeadsToOther && (Variable.getType().isConstQualified() || Variable.isConstexpr());
  if (IsConstant || isOfLibrary(Variable) || isOfLibrary(Named) || !(isValue(Named) || isAsked(Named, At))) {
    return false;
  }
  if (!At.Annotations.empty() && At.Annotations.front()->Watched->Variables.contains(Variable.getCanonicalDecl()) &&
      isSeen(*At.Annotations.front(), At.In)) {
    return false;
  }
  return isDeclaredToOthers(Variable) || isGivenAway(Variable) || At.Changed.of(Variable, Running).isValid() ||
         At.Changed.of(Named, Running).isValid();
}

/// Not a number: most modules register such a member, and calls compare what is registered.
bool isPartOfModule(const clang::FieldDecl& Field) {
  const scan::HeldType Held = scan::heldType(Field.getType());
  return Held.What == scan::HeldType::Form::Leaf && Held.Kind != annotation::WatchedMember::Kind::Number;
}

/// Of a module that one of LibTorch's holds, by a class that no member is declared with.
bool isInContainer(const flow::PathNode& Of) {
  for (const flow::PathNode* Each = &Of; Each->parent(); Each = Each->parent()) {
    const clang::QualType Around = Each->last().What == flow::Step::Kind::AnyElement ? typeOf(*Each->parent()) : clang::QualType();
    if (const clang::CXXRecordDecl* Class = classOf(Around); Class && flow::elementOf(Around).isNull() && !Class->isInStdNamespace()) {
      return true;
    }
  }
  return false;
}

/// Others have the object. Where the body is seen with the annotation, graphed-unwatched reports, except for members that a class adds to
/// the declared one.
bool mayMemberChange(const clang::FieldDecl& Field, const flow::PathNode& Of, const Occurrence& At, const Functions& Running) {
  if (!(isValue(Field) || isAsked(Field, At)) || isOfLibrary(Field) || Field.getType().isConstQualified() ||
      (isOfUnit(Field) && !isOwnedOutside(Field.getType()) && !At.Changed.of(Field, Running).isValid())) {
    return false;
  }
  return At.Annotations.empty() || !isSeen(*At.Annotations.front(), At.In) || scan::isOfDerived(*At.Annotations.front(), Field) ||
         isBehindFunction(Of) ||
         (isInContainer(Of) && (!isPartOfModule(Field) || !isOfUnit(Field) || At.Changed.of(Field, Running, /*IsItself=*/true).isValid()));
}

}  // namespace

const clang::VarDecl* variableOf(const flow::PathNode& Of) {
  const auto* Variable = llvm::dyn_cast_if_present<clang::VarDecl>(Of.declared());
  return Of.from() == flow::Root::Global && Variable && !llvm::isa<clang::ParmVarDecl>(Variable) ? Variable : nullptr;
}

bool isValue(const clang::ValueDecl& Named) {
  using Form = scan::HeldType::Form;
  const scan::HeldType Held = scan::heldType(Named.getType());
  return Held.What == Form::Class ? Held.IsHeld : Held.What != Form::Nothing && Held.What != Form::Unknown;
}

bool isOwnedOutside(clang::QualType Type) {
  const bool IsUnique = classOf(Type) && isNamed(*classOf(Type), {"unique_ptr"});
  const clang::QualType Shown = Type->isPointerType() ? Type->getPointeeType() : clang::QualType();
  if (!Shown.isNull() && Shown.isConstQualified()) {
    return Shown->isArithmeticType() && !Shown->isAnyCharacterType();
  }
  return Type->isReferenceType() ? !isOwnClass(Type) && isToWrite(Type) : isPointer(Type) && leadsToValue(Type) && !IsUnique;
}

bool isGivenAway(const clang::VarDecl& Variable) {
  const auto* Function = Variable.isStaticLocal() ? llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext()) : nullptr;
  return Function && isToWrite(Function->getReturnType());
}

bool mayChange(const clang::ValueDecl& Named, const flow::PathNode& Of, const Occurrence& At, const Functions& Running) {
  if (const clang::VarDecl* Variable = variableOf(Of)) {
    return mayChange(*Variable, Named, At, Running);
  }
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&Named);
  return Field && mayMemberChange(*Field, Of, At, Running);
}

bool isPartInContainer(const clang::ValueDecl& Named, const flow::PathNode& Of) {
  const auto* Member = llvm::dyn_cast<clang::FieldDecl>(&Named);
  return Member && isPartOfModule(*Member) && isInContainer(Of);
}

bool isOpen(const flow::PathNode& Of) {
  for (const flow::PathNode* Each = &Of; Each; Each = Each->parent()) {
    const clang::FieldDecl* Member = Each->last().What == flow::Step::Kind::Field ? Each->last().Member : nullptr;
    if (Member && Member->getAccess() == clang::AS_private && !isShown(*Member)) {
      return false;
    }
  }
  const clang::VarDecl* Variable = variableOf(Of);
  return !Variable || isDeclaredToOthers(*Variable);
}

}  // namespace graphgen::check
