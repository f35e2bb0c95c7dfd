// SPDX-License-Identifier: Apache-2.0
//
// From a member outwards; through operators of smart pointers and module holders, and through `this` back to the caller's object.
#include "check/Paths.h"

#include "check/Library.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

const clang::CXXRecordDecl* patternOfClass(const clang::CXXRecordDecl* Class) {
  if (!Class) {
    return nullptr;
  }
  const clang::CXXRecordDecl* Pattern = Class->getTemplateInstantiationPattern();
  return (Pattern ? Pattern : Class)->getCanonicalDecl();
}

const clang::ValueDecl& patternOfField(const clang::FieldDecl& Field) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Field.getParent());
  const clang::CXXRecordDecl* Pattern = Class ? Class->getTemplateInstantiationPattern() : nullptr;
  const clang::CXXRecordDecl* Definition = Pattern ? Pattern->getDefinition() : nullptr;
  if (!Definition) {
    return Field;
  }
  const auto Same =
      llvm::find_if(Definition->fields(), [&](const clang::FieldDecl* Each) { return Each->getFieldIndex() == Field.getFieldIndex(); });
  return Same == Definition->field_end() ? static_cast<const clang::ValueDecl&>(Field) : **Same;
}

bool isThis(const clang::Expr& E) { return llvm::isa<clang::CXXThisExpr>(E.IgnoreParenImpCasts()); }

bool isDereferencedThis(const clang::Expr& E) {
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E);
  return Unary && Unary->getOpcode() == clang::UO_Deref && isThis(*Unary->getSubExpr());
}

/// Named is left to the caller.
Path ownerOf(const clang::MemberExpr& Member) {
  const clang::Expr& Base = *Member.getBase()->IgnoreParenImpCasts();
  if (Member.isArrow()) {
    return {nullptr, patternOfClass(Base.getType()->getPointeeType()->getAsCXXRecordDecl()), isThis(Base)};
  }
  const auto* Outer = llvm::dyn_cast<clang::MemberExpr>(&Base);
  if (Outer && llvm::isa<clang::FieldDecl>(Outer->getMemberDecl())) {
    return ownerOf(*Outer);
  }
  return {nullptr, patternOfClass(Base.getType()->getAsCXXRecordDecl()), isDereferencedThis(Base)};
}

bool isRelated(const clang::CXXRecordDecl& A, const clang::CXXRecordDecl& B) {
  const auto Derives = [](const clang::CXXRecordDecl& From, const clang::CXXRecordDecl& To) {
    return From.getDefinition() && To.getDefinition() && From.getDefinition()->isDerivedFrom(To.getDefinition());
  };
  return &A == &B || Derives(A, B) || Derives(B, A);
}

bool isLambdasOperator(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && Method->getParent()->isLambda();
}

bool thisOutlivesCall(const Frame& Given) {
  const Frame* In = &Given;
  while (In->Caller && isLambdasOperator(*In->Function)) {
    In = In->Caller;
  }
  if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(In->Function)) {
    return false;
  }
  return !In->Caller || (In->Object && outlivesCall(*In->Object, *In->Caller));
}

/// What a variable outside of namespaces and classes shows: a reference or pointer that it was made of.
bool localOutlivesCall(const clang::VarDecl& Variable, const Frame& In) {
  const clang::QualType Type = Variable.getType();
  const bool Shows = Type->isReferenceType() || Type->isPointerType();
  return Shows && !llvm::isa<clang::ParmVarDecl>(Variable) && Variable.getInit() && outlivesCall(*Variable.getInit(), In);
}

/// Of a pointer or holder, what it points to: ptr.get(), *ptr, ptr->, list[0], map.at(key).
const clang::Expr* holderOf(const clang::Expr& E) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E)) {
    const bool Shows = llvm::is_contained({clang::OO_Arrow, clang::OO_Star, clang::OO_Subscript}, Operator->getOperator());
    return Shows ? Operator->getArg(0) : nullptr;
  }
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const bool Shows = Method && Method->getIdentifier() && isOfLibrary(*Method) &&
                     llvm::is_contained({"get", "at", "front", "back", "value", "top", "ptr"}, Method->getName());
  return Shows ? Call->getImplicitObjectArgument() : nullptr;
}

}  // namespace

const clang::ValueDecl& patternOf(const clang::ValueDecl& D) {
  if (const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D)) {
    return patternOfField(*Field);
  }
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D);
  const clang::VarDecl* Pattern = Variable ? Variable->getTemplateInstantiationPattern() : nullptr;
  return *llvm::cast<clang::ValueDecl>((Pattern ? Pattern : &D)->getCanonicalDecl());
}

const clang::FunctionDecl& patternOf(const clang::FunctionDecl& F) {
  const clang::FunctionDecl* Pattern = F.getTemplateInstantiationPattern(/*ForDefinition=*/false);
  return *(Pattern ? Pattern : &F)->getCanonicalDecl();
}

Path pathOf(const clang::Expr& Given) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E);
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const clang::ValueDecl* Named = Member ? Member->getMemberDecl() : Name ? Name->getDecl() : nullptr;
  if (const auto* Variable = llvm::dyn_cast_if_present<clang::VarDecl>(Named)) {
    return Variable->hasGlobalStorage() ? Path{&patternOf(*Variable)} : Path();
  }
  if (!Member || !llvm::isa<clang::FieldDecl>(Named)) {
    return {};
  }
  Path Result = ownerOf(*Member);
  Result.Named = &patternOf(*Named);
  return Result;
}

bool mentions(const clang::Stmt& S, const clang::ValueDecl& D) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  return (E && pathOf(*E).Named == &D) || llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && mentions(*Each, D); });
}

bool mayBeOne(const Path& A, const Path& B) {
  return A.Named == B.Named && bool(A.Owner) == bool(B.Owner) && (!A.Owner || isRelated(*A.Owner, *B.Owner));
}

bool outlivesCall(const clang::Expr& Given, const Frame& In) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  if (llvm::isa<clang::CXXThisExpr>(E)) {
    return thisOutlivesCall(In);
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return !llvm::isa<clang::FieldDecl>(Member->getMemberDecl()) || outlivesCall(*Member->getBase(), In);
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    return Variable && (Variable->hasGlobalStorage() || localOutlivesCall(*Variable, In));
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E)) {
    const bool Shows = Unary->getOpcode() == clang::UO_Deref || Unary->getOpcode() == clang::UO_AddrOf;
    return Shows && outlivesCall(*Unary->getSubExpr(), In);
  }
  if (const auto* Subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&E)) {
    return outlivesCall(*Subscript->getBase(), In);
  }
  const clang::Expr* Holder = holderOf(E);
  return Holder && outlivesCall(*Holder, In);
}

}  // namespace graphgen::check
