// SPDX-License-Identifier: Apache-2.0
//
// From a part to what makes the whole, through local variables and what bodies are given, and back into that.
#include "check/code/OwnerSearch.h"
#include "check/code/Spelled.h"

namespace graphgen::check {

constexpr unsigned MostPartSteps = 64;  // a variable may name itself

Owner OwnerSearch::findPart(const Selection& Part, Aspect Of) {
  if (Of != Aspect::Variable && Bodies.isReassigned(Part, *In.Function)) {
    return {};
  }
  const Whole Found = partOf(Part);
  if (Found.Passed) {
    return Found.Passed->of(Of);
  }
  if (!Found.Made) {
    return {};
  }
  return Of == Aspect::Variable && !Found.IsReference ? Owner{Owner::Kind::Local} : find(*Found.Made, Of);
}

OwnerSearch::Whole OwnerSearch::partOf(const Selection& Part) {
  const Whole Found = wholeOf(*Part.Whole);
  if (Found.Passed) {
    const bool IsKnown = Part.Index && *Part.Index < Found.Passed->Parts.size() && (!Part.Field || Part.Field->getParent() == Found.Class);
    return IsKnown ? Whole{nullptr, false, &Found.Passed->Parts[*Part.Index]} : Whole();
  }
  const MadePart Made = Found.Made ? partMade(*Found.Made, Part, Bodies) : MadePart();
  return {Made.Value, Made.IsReference};
}

OwnerSearch::Whole OwnerSearch::wholeOf(const clang::Expr& Given) {
  if (++Steps > MostPartSteps) {
    return {};
  }
  const clang::Expr& E = withoutCasts(Given);
  if (const Selection Part = selection(E, In.Function->getASTContext())) {
    const Whole Found = Bodies.isReassigned(Part, *In.Function) ? Whole() : partOf(Part);
    return Found.Made ? wholeOf(*Found.Made) : Found;
  }
  if (const clang::Expr* Copied = copiedWhole(E)) {
    return wholeOf(*Copied);
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(Name->getDecl());
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    return Binding && Binding->getBinding() ? wholeOf(*Binding->getBinding()) : Variable ? wholeOf(*Variable) : Whole();
  }
  if (llvm::isa<clang::CXXThisExpr>(E)) {
    const Frame* Its = frameOfThis();
    return Its && Its->Caller ? Whole{nullptr, false, &Its->Given.Object, E.getType()->getPointeeCXXRecordDecl()} : Whole();
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E)) {
    const bool Leads = Unary->getOpcode() == clang::UO_Deref || Unary->getOpcode() == clang::UO_AddrOf;
    return Leads ? wholeOf(*Unary->getSubExpr()) : Whole();
  }
  return {&E};
}

OwnerSearch::Whole OwnerSearch::wholeOf(const clang::VarDecl& Variable) {
  if (!Variable.hasLocalStorage() || (!Variable.getType()->isReferenceType() && Bodies.isReassigned(Variable))) {
    return {};
  }
  const auto* Parameter = llvm::dyn_cast<clang::ParmVarDecl>(&Variable);
  if (!Parameter) {
    return Variable.getInit() ? wholeOf(*Variable.getInit()) : Whole();
  }
  const Frame* Its = frameOf(*Parameter);
  const unsigned Index = Parameter->getFunctionScopeIndex();
  const bool IsGiven = Its && Its->Caller && Index < Its->Given.Parameters.size();
  const clang::QualType Type = Parameter->getType()->isPointerType() ? Parameter->getType()->getPointeeType() : Parameter->getType();
  return IsGiven ? Whole{nullptr, false, &Its->Given.Parameters[Index], Type.getNonReferenceType()->getAsCXXRecordDecl()} : Whole();
}

}  // namespace graphgen::check
