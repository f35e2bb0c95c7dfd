// SPDX-License-Identifier: Apache-2.0
//
// The object's class is known where it is a variable, where a call on a known object led to `this`, and where the unit makes what a pointer
// leads to. Else it is any class of the unit that derives from the one that is named.
#include "check/calls/Dispatch.h"

#include "check/calls/MadeClasses.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "scan/Types.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr size_t MostOverrides = 32;  // of one call

const clang::CXXRecordDecl* classOf(clang::QualType Type) {
  return Type->isPointerType() ? Type->getPointeeType()->getAsCXXRecordDecl() : Type.getNonReferenceType()->getAsCXXRecordDecl();
}

ObjectClass named(const clang::CXXRecordDecl* Class) { return {Class, Class && Class->isEffectivelyFinal()}; }

/// What Object says beyond the type of `this` in Method.
ObjectClass beyond(const clang::CXXMethodDecl& Method, const ObjectClass& Object) {
  const bool IsMore = Object.Class && (Object.IsExact || Object.Class->getCanonicalDecl() != Method.getParent()->getCanonicalDecl());
  return IsMore ? Object : ObjectClass();
}

/// In a lambda that of the function around it.
ObjectClass classOfThis(const clang::Expr& This, const Frame& In) {
  const clang::CXXRecordDecl* Class = classOf(This.getType());
  for (const Frame* Each = &In; Each; Each = Each->Caller) {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Each->Function);
    if (Method && Method->getParent()->getCanonicalDecl() == Class->getCanonicalDecl()) {
      const bool IsBeingMade = llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(Method);
      return IsBeingMade ? ObjectClass{Class, true} : Each->Object.Class ? Each->Object : named(Class);
    }
  }
  return named(Class);
}

/// E without conversions to bases and what shows the target of a pointer.
const clang::Expr& bare(const clang::Expr& E) { return *E.IgnoreParenImpCasts(); }

/// The pointer, plain or smart, that leads to the object; null: it is the object itself.
const clang::Expr* pointerTo(const clang::Expr& Object) {
  const clang::Expr& E = bare(Object);
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E)) {
    return Unary->getOpcode() == clang::UO_Deref ? &bare(*Unary->getSubExpr()) : nullptr;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E);
  if (Operator && llvm::is_contained({clang::OO_Arrow, clang::OO_Star}, Operator->getOperator())) {
    return &bare(*Operator->getArg(0));
  }
  return E.getType()->isPointerType() ? &E : nullptr;
}

bool isItsOwn(const clang::Expr& Object) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&Object);
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&Object);
  const clang::ValueDecl* Declared = Name ? Name->getDecl() : Member ? Member->getMemberDecl() : nullptr;
  return Object.getType()->isRecordType() && (Declared ? Declared->getType()->isRecordType() : Object.isPRValue());
}

struct Candidates {
  std::vector<ObjectClass> Classes;
  bool AreAll = true;  // no other file may make another one

  bool isOnlyOne() const { return Classes.size() == 1 && AreAll; }
};

/// One where it is known, several where the unit makes several; else the one that is named, or what is more derived.
Candidates classesOf(const clang::Expr& Given, const Frame& In, const UnitIndex& Index) {
  const clang::Expr& Object = bare(Given);
  const clang::Expr* Pointer = pointerTo(Object);
  if (llvm::isa<clang::CXXThisExpr>(Pointer ? *Pointer : Object)) {
    return {{classOfThis(Pointer ? *Pointer : Object, In)}};
  }
  const clang::CXXRecordDecl* Class = classOf(Object.getType());
  if (!Class || (!Pointer && isItsOwn(Object))) {
    return {{{Class, Class != nullptr}}};
  }
  const MadeClasses Made = Pointer ? madeClasses(*Pointer, Index) : MadeClasses();
  Candidates Found{{}, Made.AreAll};
  llvm::transform(Made.Classes, std::back_inserter(Found.Classes), [](const auto* Each) { return ObjectClass{Each, true}; });
  return Found.Classes.empty() ? Candidates{{named(Class)}} : Found;
}

const clang::Expr* objectOf(const clang::Stmt& S, const clang::CXXMethodDecl& Method) {
  if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Call->getCallee()->IgnoreParens());
    return Member ? Member->getBase() : nullptr;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  return Operator && !Method.isStatic() ? Operator->getArg(0) : nullptr;
}

bool isQualified(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const auto* Member = Call ? llvm::dyn_cast<clang::MemberExpr>(Call->getCallee()->IgnoreParens()) : nullptr;
  return Member && Member->hasQualifier();
}

bool isLibraryVirtual(const clang::CXXMethodDecl& Method) {
  return isOfLibrary(Method) || llvm::any_of(Method.overridden_methods(), [](const auto* Each) { return isLibraryVirtual(*Each); });
}

bool derives(const clang::CXXRecordDecl& Class, const clang::CXXRecordDecl& Base) {
  const clang::CXXRecordDecl* Definition = Class.getDefinition();
  return Definition && Definition->getCanonicalDecl() != Base.getCanonicalDecl() && Definition->isDerivedFrom(&Base);
}

/// Those of classes that derive from Base.
std::vector<const clang::CXXMethodDecl*> overridesBelow(const clang::CXXMethodDecl& Method, const clang::CXXRecordDecl& Base,
                                                        const UnitIndex& Index) {
  std::vector<const clang::CXXMethodDecl*> Seen = Index.overridesOf(Method).vec();
  for (size_t Next = 0; Next < Seen.size() && Seen.size() < MostOverrides; ++Next) {
    llvm::copy_if(Index.overridesOf(*Seen[Next]), std::back_inserter(Seen),
                  [&](const auto* Each) { return !llvm::is_contained(Seen, Each); });
  }
  llvm::erase_if(Seen, [&](const clang::CXXMethodDecl* Each) { return !derives(*Each->getParent(), Base); });
  const clang::SourceManager& Sources = Method.getASTContext().getSourceManager();
  llvm::stable_sort(Seen,
                    [&](const auto* A, const auto* B) { return Sources.isBeforeInTranslationUnit(A->getLocation(), B->getLocation()); });
  return Seen;
}

Target targetFor(const clang::CXXMethodDecl& Method, const clang::CXXMethodDecl& Run, bool IsCertain, const ObjectClass& Object) {
  Target Result{&Run, IsCertain, beyond(Run, Object), std::nullopt};
  if (Run.getCanonicalDecl() != Method.getCanonicalDecl()) {
    Result.Reason = Note{Run.getLocation(), "'" + scan::instanceName(Run) + "' overrides '" + scan::instanceName(Method) + "'"};
  }
  return Result;
}

void addTargets(const clang::CXXMethodDecl& Method, const ObjectClass& Object, bool IsOnlyOne, const UnitIndex& Index,
                std::vector<Target>& Found) {
  const clang::CXXMethodDecl* Own = Method.getCorrespondingMethodInClass(Object.Class);
  Own = Own ? Own : &Method;
  const bool IsExact = Object.IsExact || Own->hasAttr<clang::FinalAttr>();
  if (!Own->isPureVirtual()) {
    Found.push_back(targetFor(Method, *Own, IsExact && IsOnlyOne, Object));
  }
  if (IsExact || isLibraryVirtual(Method)) {
    return;
  }
  for (const clang::CXXMethodDecl* Each : overridesBelow(Method, *Object.Class, Index)) {
    Found.push_back(targetFor(Method, *Each, false, named(Each->getParent())));
  }
}

}  // namespace

std::vector<Target> targetsOf(const clang::Stmt& S, const Callee& Called, const Frame& In, const UnitIndex& Index) {
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Called.Function);
  const clang::Expr* Object = Method && Method->getParent()->isPolymorphic() ? objectOf(S, *Method) : nullptr;
  const clang::CXXRecordDecl* Static = Object ? classOf(Object->getType()) : nullptr;
  if (!Static || !Static->hasDefinition()) {
    return {{Called.Function, Called.IsCertain, {}, std::nullopt}};
  }
  const Candidates Possible = classesOf(*Object, In, Index);
  if (!Method->isVirtual() || isQualified(S)) {
    return {{Method, true, Possible.isOnlyOne() ? beyond(*Method, Possible.Classes.front()) : ObjectClass(), std::nullopt}};
  }
  std::vector<Target> Found;
  for (const ObjectClass& Each : Possible.Classes) {
    addTargets(*Method, Each, Possible.isOnlyOne(), Index, Found);
  }
  return Found;
}

}  // namespace graphgen::check
