// SPDX-License-Identifier: Apache-2.0
//
// Goes down each value of the pointer to what makes the object.
#include "check/calls/MadeClasses.h"

#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/Stores.h"
#include "check/state/KnownValues.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using Classes = std::vector<const clang::CXXRecordDecl*>;

bool addMade(const clang::Expr& Given, Classes& Found);

bool addAll(llvm::ArrayRef<const clang::Expr*> Values, Classes& Found) {
  return llvm::all_of(Values, [&](const clang::Expr* Each) { return llvm::isa<clang::CXXDefaultArgExpr>(Each) || addMade(*Each, Found); });
}

bool addClass(clang::QualType Type, Classes& Found) {
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  if (Class && !llvm::is_contained(Found, Class)) {
    Found.push_back(Class);
  }
  return Class != nullptr;
}

bool addMadeBy(const clang::CallExpr& Call, Classes& Found) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !Function->getIdentifier() || !isOfLibrary(*Function)) {
    return false;
  }
  const clang::TemplateArgumentList* Arguments = Function->getTemplateSpecializationArgs();
  if (Arguments && llvm::is_contained({"make_unique", "make_shared"}, Function->getName())) {
    return addClass(Arguments->get(0).getAsType(), Found);
  }
  return Function->getName() == "move" && Call.getNumArgs() == 1 && addMade(*Call.getArg(0), Found);
}

bool addMade(const clang::Expr& Given, Classes& Found) {
  const clang::Expr& E = spelled(Given);
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(E)) {
    return true;
  }
  if (const auto* New = llvm::dyn_cast<clang::CXXNewExpr>(&E)) {
    return addClass(New->getAllocatedType(), Found);
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
    return addMadeBy(*Call, Found);
  }
  if (const auto* Cast = llvm::dyn_cast<clang::CastExpr>(&E)) {
    return addMade(*Cast->getSubExpr(), Found);
  }
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E)) {
    return addAll(List->inits(), Found);
  }
  if (const auto* List = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&E)) {
    return addMade(*List->getSubExpr(), Found);
  }
  if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(&E)) {
    return addMade(*Choice->getTrueExpr(), Found) && addMade(*Choice->getFalseExpr(), Found);
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  return Construction && isOfLibrary(*Construction->getConstructor()) &&
         addAll(llvm::ArrayRef(Construction->getArgs(), Construction->getNumArgs()), Found);
}

/// Of a local variable that is never assigned.
const clang::Expr* onlyValueOf(const clang::Expr& Pointer) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Pointer.IgnoreParenImpCasts());
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  const bool IsFixed = Variable && Variable->isLocalVarDecl() && !Variable->isStaticLocal() && !Variable->getType()->isReferenceType();
  return IsFixed && !isReassigned(*Variable) ? Variable->getInit() : nullptr;
}

}  // namespace

MadeClasses madeClasses(const clang::Expr& Pointer, const UnitIndex& Index) {
  Classes Found;
  if (const clang::Expr* Value = onlyValueOf(Pointer); Value && addMade(*Value, Found)) {
    return {Found};
  }
  Found.clear();
  const clang::ValueDecl* Store = storeOf(Pointer);
  if (!Store || llvm::isa<clang::ParmVarDecl>(Store) || isHandedOn(*Store, Index)) {
    return {};
  }
  const bool AreKnown = addAll(Index.valuesOf(*Store), Found) && addAll(Index.putsInto(*Store), Found);
  return AreKnown ? MadeClasses{Found, isGivenByUnitAlone(*Store)} : MadeClasses();
}

}  // namespace graphgen::check
