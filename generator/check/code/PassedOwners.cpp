// SPDX-License-Identifier: Apache-2.0
//
// Each aspect of what a call gives is a question of its own; of an object of the call's own, so is each part.
#include "check/code/GivenArguments.h"
#include "check/code/Library.h"
#include "check/code/OwnerSearch.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostParts = 16;  // of one object

using Parts = std::vector<Selection>;

unsigned countElements(const clang::ClassTemplateSpecializationDecl& Tuple) {
  const clang::TemplateArgumentList& Arguments = Tuple.getTemplateArgs();
  const bool IsTuple = Tuple.getName() == "tuple" && Arguments.size() == 1 && Arguments[0].getKind() == clang::TemplateArgument::Pack;
  return IsTuple ? Arguments[0].pack_size() : Tuple.getName() == "pair" ? 2 : 0;
}

/// Members, and elements of a tuple or pair.
Parts partsOf(const clang::Expr& E) {
  const clang::QualType Type = E.getType()->isPointerType() ? E.getType()->getPointeeType() : E.getType().getNonReferenceType();
  const clang::CXXRecordDecl* Class = Type->getAsCXXRecordDecl();
  Parts Result;
  if (!Class || !Class->hasDefinition() || Class->isUnion() || Class->isLambda() || isTensor(Type)) {
    return Result;
  }
  if (isOfLibrary(*Class)) {
    const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Class);
    const unsigned Count = Instance && Instance->getIdentifier() ? countElements(*Instance) : 0;
    for (unsigned Index = 0; Count <= MostParts && Index < Count; ++Index) {
      Result.push_back({&E, nullptr, Index});
    }
    return Result;
  }
  for (const clang::FieldDecl* Each : Class->getDefinition()->fields()) {
    Result.push_back({&E, Each, Each->getFieldIndex()});
  }
  return Result.size() <= MostParts ? Result : Parts();
}

template <class Find>
Owners ownersBy(Find OwnerOf) {
  return {OwnerOf(Aspect::Variable), OwnerOf(Aspect::Pointee), OwnerOf(Aspect::Tensor), OwnerOf(Aspect::Values)};
}

bool isKnown(const Owner& Given) { return Given.What == Owner::Kind::Argument || Given.outlivesCall(); }

bool isAnyKnown(const Owners& Given) {
  return isKnown(Given.Variable) || isKnown(Given.Pointee) || isKnown(Given.Tensor) || isKnown(Given.Values) || !Given.Parts.empty();
}

/// Nothing where nothing is known of any.
std::vector<Owners> ownersOfParts(const clang::Expr& E, const Frame& In) {
  std::vector<Owners> Result;
  OwnerSearch List(In);
  List.find(E, Aspect::Values);
  for (unsigned Place = 0; List.countElements() > 1 && Place < std::min(List.countElements(), MostParts); ++Place) {
    Result.push_back(ownersBy([&](Aspect Of) { return OwnerSearch(In, Place).find(E, Of); }));
  }
  for (const Selection& Each : Result.empty() ? partsOf(E) : Parts()) {
    Result.push_back(ownersBy([&](Aspect Of) { return OwnerSearch(In).findPart(Each, Of); }));
  }
  return llvm::any_of(Result, isAnyKnown) ? Result : std::vector<Owners>();
}

Owners ownersOf(const clang::Expr& E, const Frame& In) {
  Owners Result = ownersBy([&](Aspect Of) { return ownerOf(E, Of, In); });
  if (!isAnyKnown(Result)) {
    Result.Parts = ownersOfParts(E, In);
  }
  return Result;
}

/// What `this` is, called on E.
Owners objectOf(const clang::Expr& E, const Frame& In) {
  const bool IsPointer = E.getType()->isPointerType();
  Owners Result = ownersOf(E, In);
  Result.Pointee = IsPointer ? Result.Pointee : Result.Variable;
  Result.Variable = Owner{Owner::Kind::Local};
  return Result;
}

}  // namespace

std::vector<Owner> ownersOfEach(const clang::Expr& E, Aspect Of, const Frame& In) {
  OwnerSearch First(In);
  std::vector<Owner> Result = {First.find(E, Of)};
  for (unsigned Place = 1; Place < First.countElements(); ++Place) {
    const Owner Next = OwnerSearch(In, Place).find(E, Of);
    if (!llvm::is_contained(Result, Next)) {
      Result.push_back(Next);
    }
  }
  return Result;
}

Owner ownerOf(const clang::Expr& E, Aspect Of, const Frame& In) {
  const std::vector<Owner> Each = ownersOfEach(E, Of, In);
  return Each.size() == 1 ? Each.front() : Owner();
}

bool outlivesCall(const clang::Expr& E, const Frame& In) { return ownerOf(E, Aspect::Variable, In).outlivesCall(); }

PassedOwners passedOwners(const clang::Stmt& S, const clang::FunctionDecl& Called, const Frame& In) {
  PassedOwners Result;
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  if (llvm::isa<clang::CXXConstructExpr>(S)) {
    Result.Object.Pointee = Owner{Owner::Kind::Local};
  } else if (const auto* OnObject = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    Result.Object = objectOf(*OnObject->getImplicitObjectArgument(), In);
  } else if (Operator && Method && !Method->isStatic() && Operator->getNumArgs() != 0) {
    Result.Object = objectOf(*Operator->getArg(0), In);
  }
  for (const auto& [Parameter, Each] : llvm::zip(Called.parameters(), argumentsOf(S, Called))) {
    Result.Parameters.push_back(ownersOf(*Each, In));
  }
  return Result;
}

}  // namespace graphgen::check
