// SPDX-License-Identifier: Apache-2.0
//
// What a source defines is its own; of a header's classes private members are, where every method is defined.
#include "check/code/KnownValues.h"

#include "check/code/Library.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"
#include "scan/Libraries.h"

namespace graphgen::check {
namespace {

bool isOfUnitAlone(const clang::NamedDecl& D) {
  return !D.isExternallyVisible() || (!D.getASTContext().getLangOpts().IsHeaderFile && scan::isInMainFile(D));
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
  return Field.getAccess() == clang::AS_private && !Class->hasFriends() && areMethodsDefinedHere(*Class);
}

/// Whether a function with a parameter of this type may change what it is handed there: a reference or pointer to what is not const.
bool mayChange(clang::QualType Parameter) {
  return (Parameter->isLValueReferenceType() || Parameter->isPointerType()) && !Parameter->getPointeeType().isConstQualified();
}

}  // namespace

bool areMethodsDefinedHere(const clang::CXXRecordDecl& Class) { return llvm::all_of(Class.methods(), isDefinedHere); }

bool mayChangeIt(const StateUse& Use) {
  if (Use.Called->isExternC()) {  // strcpy(), memset()
    return llvm::any_of(Use.Called->parameters(), [](const clang::ParmVarDecl* Each) {
      return Each->getType()->isPointerType() && !Each->getType()->getPointeeType().isConstQualified();
    });
  }
  if (isOfLibrary(*Use.Called)) {
    return Use.Called->getIdentifier() && llvm::is_contained({"swap", "exchange", "tie"}, Use.Called->getName());
  }
  return llvm::any_of(Use.Called->parameters(), [](const clang::ParmVarDecl* Each) { return mayChange(Each->getType()); });
}

bool isGivenByUnitAlone(const clang::ValueDecl& D) {
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D);
  return Field ? isGivenByUnitAlone(*Field) : isOfUnitAlone(D);
}

bool isHandedOn(const clang::ValueDecl& D, const UnitIndex& Index) { return llvm::any_of(Index.usesOf(D), mayChangeIt); }

}  // namespace graphgen::check
