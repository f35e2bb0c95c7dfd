// SPDX-License-Identifier: Apache-2.0
//
// What a source defines is its own; of a header's classes private members are, where every method is defined.
#include "check/state/KnownValues.h"

#include "check/code/Library.h"
#include "check/code/Reassigned.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using Values = std::optional<std::vector<const clang::Expr*>>;

bool isOfUnitAlone(const clang::NamedDecl& D) {
  const clang::ASTContext& Context = D.getASTContext();
  const clang::SourceManager& Sources = Context.getSourceManager();
  return !D.isExternallyVisible() ||
         (!Context.getLangOpts().IsHeaderFile && Sources.isInMainFile(Sources.getExpansionLoc(D.getLocation())));
}

bool isDefinedHere(const clang::CXXMethodDecl* Method) {
  return Method->isImplicit() || Method->isDeleted() || Method->isDefaulted() || Method->isDefined();
}

bool isGivenByUnitAlone(const clang::FieldDecl& Field) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Field.getParent());
  if (!Class || isOfUnitAlone(*Class)) {
    return Class != nullptr;
  }
  if (Field.getType().isConstQualified()) {
    return !Class->isAggregate() && llvm::all_of(Class->ctors(), isDefinedHere);
  }
  return Field.getAccess() == clang::AS_private && !Class->hasFriends() && llvm::all_of(Class->methods(), isDefinedHere);
}

Values valuesOfLocal(const clang::VarDecl& Variable) {
  Values Assigned = valuesAssigned(Variable);
  if (Assigned && Variable.getInit()) {
    Assigned->push_back(Variable.getInit());
  }
  return Assigned;
}

Values valuesOfVariable(const clang::VarDecl& Variable, const UnitIndex& Index) {
  if (llvm::isa<clang::ParmVarDecl>(Variable)) {
    return std::nullopt;
  }
  if (Variable.getType().isConstQualified() || Variable.isConstexpr()) {
    const clang::Expr* Initializer = Variable.getAnyInitializer();
    return Initializer ? Values({Initializer}) : std::nullopt;
  }
  if (!Variable.hasGlobalStorage()) {
    return valuesOfLocal(Variable);
  }
  return isOfUnitAlone(Variable) && !isHandedOn(Variable, Index) ? Values(Index.valuesOf(Variable)) : std::nullopt;
}

bool mayChangeIt(const StateUse& Use) {
  if (isOfLibrary(*Use.Called)) {
    return Use.Called->getIdentifier() && llvm::is_contained({"swap", "exchange", "tie"}, Use.Called->getName());
  }
  return llvm::any_of(Use.Called->parameters(), [](const clang::ParmVarDecl* Each) { return mayChange(Each->getType()); });
}

}  // namespace

bool isGivenByUnitAlone(const clang::ValueDecl& D) {
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D);
  return Field ? isGivenByUnitAlone(*Field) : isOfUnitAlone(D);
}

bool isHandedOn(const clang::ValueDecl& D, const UnitIndex& Index) { return llvm::any_of(Index.usesOf(D), mayChangeIt); }

Values allValues(const clang::ValueDecl& D, const UnitIndex& Index) {
  if (const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D)) {
    return valuesOfVariable(*Variable, Index);
  }
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D);
  return Field && isGivenByUnitAlone(*Field) && !isHandedOn(*Field, Index) ? Values(Index.valuesOf(*Field)) : std::nullopt;
}

}  // namespace graphgen::check
