// SPDX-License-Identifier: Apache-2.0
//
// From a member outwards.
#include "check/code/Paths.h"

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
Path pathToObject(const clang::MemberExpr& Member) {
  const clang::Expr& Base = shownBy(*Member.getBase());
  if (Member.isArrow()) {
    return {nullptr, patternOfClass(Base.getType()->getPointeeType()->getAsCXXRecordDecl()), isThis(Base)};
  }
  const auto* Outer = llvm::dyn_cast<clang::MemberExpr>(&Base);
  if (Outer && llvm::isa<clang::FieldDecl>(Outer->getMemberDecl())) {
    return pathToObject(*Outer);
  }
  return {nullptr, patternOfClass(Base.getType()->getAsCXXRecordDecl()), isDereferencedThis(Base)};
}

bool isRelated(const clang::CXXRecordDecl& A, const clang::CXXRecordDecl& B) {
  const auto Derives = [](const clang::CXXRecordDecl& From, const clang::CXXRecordDecl& To) {
    return From.getDefinition() && To.getDefinition() && From.getDefinition()->isDerivedFrom(To.getDefinition());
  };
  return &A == &B || Derives(A, B) || Derives(B, A);
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
  Path Result = pathToObject(*Member);
  Result.Named = &patternOf(*Named);
  return Result;
}

const clang::Expr& shownBy(const clang::Expr& Given) {
  constexpr unsigned MostSteps = 16;  // a variable may name itself
  const clang::Expr* E = Given.IgnoreParenImpCasts();
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    const auto* Deref = llvm::dyn_cast<clang::UnaryOperator>(E);
    const bool IsBehind = Deref && Deref->getOpcode() == clang::UO_Deref;
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(IsBehind ? Deref->getSubExpr()->IgnoreParenImpCasts() : E);
    const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    const bool IsMade = Variable && Variable->isLocalVarDecl() && Variable->getInit() && !Variable->getInit()->isTypeDependent();
    if (!IsMade || !(IsBehind ? Variable->getType()->isPointerType() : Variable->getType()->isReferenceType())) {
      break;
    }
    const clang::Expr* Init = Variable->getInit()->IgnoreParenImpCasts();
    const auto* Address = IsBehind ? llvm::dyn_cast<clang::UnaryOperator>(Init) : nullptr;
    if (IsBehind && !(Address && Address->getOpcode() == clang::UO_AddrOf)) {
      break;
    }
    E = IsBehind ? Address->getSubExpr()->IgnoreParenImpCasts() : Init;
  }
  return *E;
}

bool mentions(const clang::Stmt& S, const Path& Of) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  const Path Its = E ? pathOf(*E) : Path();
  return (Its.Named && Its.Named == Of.Named && Its.IsOnThis == Of.IsOnThis) ||
         llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && mentions(*Each, Of); });
}

bool mayBeOne(const Path& A, const Path& B) {
  return A.Named == B.Named && bool(A.Owner) == bool(B.Owner) && (!A.Owner || isRelated(*A.Owner, *B.Owner));
}

}  // namespace graphgen::check
