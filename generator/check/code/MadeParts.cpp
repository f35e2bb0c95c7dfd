// SPDX-License-Identifier: Apache-2.0
//
// By the kind of what makes the object.
#include "check/code/MadeParts.h"

#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

llvm::StringRef calleeNameOf(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  const bool IsKnown = Function && Function->getIdentifier() && Function->isInStdNamespace() && !llvm::isa<clang::CXXMethodDecl>(Function);
  return IsKnown ? Function->getName() : "";
}

bool isTuple(clang::QualType Type) { return llvm::is_contained({"tuple", "pair"}, libraryClass(Type)); }

/// Of a tuple or pair.
bool holdsReference(clang::QualType Tuple, unsigned Index) {
  const llvm::ArrayRef<clang::TemplateArgument> Types = elementTypes(Tuple);
  return Index < Types.size() && Types[Index].getKind() == clang::TemplateArgument::Type && Types[Index].getAsType()->isReferenceType();
}

MadePart partOfTuple(const clang::CXXConstructExpr& Made, unsigned Index) {
  const bool HasTag =
      Made.getNumArgs() != 0 && llvm::is_contained({"allocator_arg_t", "piecewise_construct_t"}, libraryClass(Made.getArg(0)->getType()));
  const bool IsWritten = !HasTag && Index < Made.getNumArgs() && !llvm::isa<clang::CXXDefaultArgExpr>(Made.getArg(Index));
  return IsWritten ? MadePart{Made.getArg(Index), holdsReference(Made.getType(), Index)} : MadePart();
}

MadePart partOfCall(const clang::CallExpr& Call, unsigned Index) {
  const llvm::StringRef Name = calleeNameOf(Call);
  const bool IsReference = Name == "tie" || Name == "forward_as_tuple";
  const bool IsMade = IsReference || Name == "make_tuple" || Name == "make_pair";
  return IsMade && Index < Call.getNumArgs() ? MadePart{Call.getArg(Index), IsReference} : MadePart();
}

bool isOf(const clang::FieldDecl* Field, clang::QualType Type) {
  const clang::RecordDecl* Class = Type->getAsRecordDecl();
  return Field && Class && Field->getParent()->getCanonicalDecl() == Class->getCanonicalDecl();
}

/// An aggregate without bases.
MadePart partOfAggregate(clang::QualType Type, llvm::ArrayRef<clang::Expr*> Values, const clang::FieldDecl& Field) {
  const auto* Class = Type->getAsCXXRecordDecl();
  const unsigned Index = Field.getFieldIndex();
  if (!isOf(&Field, Type) || !Class || Class->isUnion() || Class->getNumBases() != 0 || Index >= Values.size() ||
      llvm::isa<clang::CXXDefaultInitExpr>(Values[Index])) {
    return {};
  }
  return {Values[Index], Field.getType()->isReferenceType()};
}

/// What the constructor copies to the field from a parameter of its own: the argument.
MadePart partKept(const clang::CXXConstructExpr& Made, const clang::FieldDecl& Field, ReassignedParts& Bodies) {
  const auto* Constructor = llvm::dyn_cast_if_present<clang::CXXConstructorDecl>(writtenBody(*Made.getConstructor()));
  if (!Constructor || !isOf(&Field, Made.getType()) || Bodies.mayAssignMembers(*Constructor)) {
    return {};
  }
  for (const clang::CXXCtorInitializer* Each : Constructor->inits()) {
    if (!Each->getMember() || Each->getMember()->getFieldIndex() != Field.getFieldIndex() || !Each->getInit()) {
      continue;
    }
    const clang::Expr* Value = &withoutCasts(*Each->getInit());
    while (const clang::Expr* Copied = copiedWhole(*Value)) {
      Value = &withoutCasts(*Copied);
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Value);
    const auto* Parameter = Name ? llvm::dyn_cast<clang::ParmVarDecl>(Name->getDecl()) : nullptr;
    const bool IsGiven = Parameter && Parameter->getFunctionScopeIndex() < Made.getNumArgs() && !isReassigned(*Parameter);
    return IsGiven ? MadePart{Made.getArg(Parameter->getFunctionScopeIndex()), Field.getType()->isReferenceType()} : MadePart();
  }
  return {};
}

MadePart elementOf(const clang::InitListExpr* List, unsigned Index) {
  return List && Index < List->getNumInits() ? MadePart{List->getInit(Index), false} : MadePart();
}

}  // namespace

const clang::InitListExpr* listIn(const clang::Expr& E) {
  const clang::Expr* Inner = nullptr;
  if (const auto* Temporary = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&E)) {
    Inner = Temporary->getSubExpr();
  } else if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    Inner = libraryClass(E.getType()) == "vector" && Construction->getNumArgs() != 0 ? Construction->getArg(0) : nullptr;
  } else if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E)) {
    if (List->getType()->isArrayType()) {
      return List;
    }
    Inner = libraryClass(E.getType()) == "array" && List->getNumInits() == 1 ? List->getInit(0) : nullptr;
  }
  return Inner ? listIn(spelled(*Inner)) : nullptr;
}

const clang::Expr* copiedWhole(const clang::Expr& E) {
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
    return llvm::is_contained({"move", "forward", "as_const"}, calleeNameOf(*Call)) && Call->getNumArgs() == 1 ? Call->getArg(0) : nullptr;
  }
  const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  const bool IsCopy = Made && Made->getNumArgs() == 1 &&
                      (Made->getConstructor()->isCopyOrMoveConstructor() || (isTuple(E.getType()) && isTuple(Made->getArg(0)->getType())));
  return IsCopy ? Made->getArg(0) : nullptr;
}

MadePart partMade(const clang::Expr& E, const Selection& Part, ReassignedParts& Bodies) {
  if (!Part.Index) {
    return {};
  }
  if (const clang::InitListExpr* List = listIn(E)) {
    return elementOf(List, *Part.Index);
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
    return partOfCall(*Call, *Part.Index);
  }
  if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    return isTuple(E.getType()) ? partOfTuple(*Made, *Part.Index) : Part.Field ? partKept(*Made, *Part.Field, Bodies) : MadePart();
  }
  const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E);
  if (List && Part.Field) {
    const clang::InitListExpr& Semantic = List->isSemanticForm() ? *List : *List->getSemanticForm();
    return partOfAggregate(E.getType(), Semantic.inits(), *Part.Field);
  }
  const auto* InParentheses = llvm::dyn_cast<clang::CXXParenListInitExpr>(&E);
  return InParentheses && Part.Field ? partOfAggregate(E.getType(), InParentheses->getInitExprs(), *Part.Field) : MadePart();
}

}  // namespace graphgen::check
