// SPDX-License-Identifier: Apache-2.0
//
// Looks at every statement of a body, lambdas included. What is written in place stays the same tensor.
#include "check/code/ReassignedParts.h"

#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostMethods = 4;  // and functions that are given the object, each called by the one before

bool leavesElements(const clang::FunctionDecl& Function) {
  return llvm::StringSwitch<bool>(Function.getIdentifier() ? Function.getName() : "")
      .Cases({"make_tuple", "make_pair", "forward_as_tuple", "get", "move", "forward", "as_const", "ref", "cref"}, true)
      .Cases({"begin", "end", "size", "apply", "invoke", "tuple_cat"}, true)
      .Default(false);
}

bool replacesElements(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"clear", "erase", "pop_back", "pop_front", "push_front", "emplace_front", "resize", "assign", "insert"}, true)
      .Cases({"emplace", "swap", "reset", "fill"}, true)
      .Default(false);
}

bool mayChange(clang::QualType Parameter) {
  return (Parameter->isLValueReferenceType() || Parameter->isPointerType()) && !Parameter->getPointeeType().isConstQualified();
}

class Search {
 public:
  Search(const Holder& Asked, const clang::ASTContext& Context, unsigned Methods = 0) : Asked(Asked), Context(Context), Methods(Methods) {}

  bool isIn(const clang::Stmt* S) const {
    return S && (changes(*S) || llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return isIn(Each); }));
  }

 private:
  bool isHeld(const clang::Expr& E, bool IsWhole = false) const {
    const Holder Its = holderOf(E, Context);
    const bool IsSame = Its && Its.Variable == Asked.Variable && Its.IsThis == Asked.IsThis;
    return IsSame && (Its.IsPart ? !Its.Index || !Asked.Index || *Its.Index == *Asked.Index : IsWhole);
  }

  bool changes(const clang::Stmt& S) const {
    if (const auto* Assignment = llvm::dyn_cast<clang::BinaryOperator>(&S)) {
      const clang::QualType Type = Assignment->getLHS()->getType();
      return Assignment->isAssignmentOp() && (Type->isPointerType() || Type->isDependentType()) && isHeld(*Assignment->getLHS());
    }
    if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S); Operator && Operator->isAssignmentOp()) {
      const clang::Expr& Target = *Operator->getArg(0);
      return Operator->getOperator() == clang::OO_Equal && isHeld(Target, Asked.IsThis);
    }
    if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
      return changesObject(*Method) || isGiven(*Method);
    }
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
    return Call && isGiven(*Call);
  }

  bool changesObject(const clang::CXXMemberCallExpr& Call) const {
    const clang::CXXMethodDecl* Method = Call.getMethodDecl();
    const clang::Expr& Object = *Call.getImplicitObjectArgument();
    if (!Method || Method->isConst() || isTensor(Call.getObjectType()) || !isHeld(Object, /*IsWhole=*/true)) {
      return false;
    }
    if (isOfLibrary(*Method)) {
      return Method->getIdentifier() && replacesElements(Method->getName());
    }
    return mayAssign(*Method);
  }

  bool mayAssign(const clang::CXXMethodDecl& Method) const {
    const clang::FunctionDecl* Written = Methods == MostMethods ? nullptr : writtenBody(Method);
    const Holder This{nullptr, /*IsThis=*/true, false, std::nullopt};
    return !Written || Search(This, Context, Methods + 1).isIn(Written->getBody());
  }

  bool isGiven(const clang::CallExpr& Call) const {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    if (!Function && Call.isTypeDependent()) {
      return llvm::any_of(Call.arguments(), [&](const auto* Each) { return isHeld(*Each, /*IsWhole=*/true); });
    }
    const bool IsLibrary = Function && isOfLibrary(*Function);
    if (IsLibrary) {
      return Function->isInStdNamespace() && !llvm::isa<clang::CXXMethodDecl>(Function) && !leavesElements(*Function) &&
             !llvm::isa<clang::CXXOperatorCallExpr>(Call) &&
             llvm::any_of(Call.arguments(), [&](const auto* Each) { return isHeld(*Each); });
    }
    const unsigned First = llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Function) ? 1 : 0;
    for (unsigned Index = First; Function && Index < Call.getNumArgs() && Index - First < Function->getNumParams(); ++Index) {
      if (mayChange(Function->getParamDecl(Index - First)->getType()) && isChangedBy(*Function, Index - First, *Call.getArg(Index))) {
        return true;
      }
    }
    return false;
  }

  bool isChangedBy(const clang::FunctionDecl& Function, unsigned Index, const clang::Expr& Given) const {
    if (!isHeld(Given, /*IsWhole=*/true)) {
      return false;
    }
    const clang::FunctionDecl* Written = Methods == MostMethods ? nullptr : writtenBody(Function);
    if (!Written) {
      return true;
    }
    const clang::ParmVarDecl& Parameter = *Written->getParamDecl(Index);
    if (isTensor(Function.getParamDecl(Index)->getType())) {
      return isReassigned(Parameter);
    }
    return Search({&Parameter, /*IsThis=*/false, /*IsPart=*/true, std::nullopt}, Context, Methods + 1).isIn(Written->getBody());
  }

  const Holder Asked;
  const clang::ASTContext& Context;
  const unsigned Methods;
};

}  // namespace

bool isPartReassigned(const Selection& Part, const clang::FunctionDecl& In) {
  const clang::ASTContext& Context = In.getASTContext();
  Holder Asked = holderOf(*Part.Whole, Context);
  if (!Asked || (Asked.Variable && Asked.Variable->getType()->isReferenceType())) {
    return false;
  }
  Asked.Index = Asked.IsPart ? Asked.Index : Part.Index;
  const auto* Around = Asked.Variable ? llvm::dyn_cast<clang::FunctionDecl>(Asked.Variable->getDeclContext()) : &In;
  return !Around || Search(Asked, Context).isIn(Around->getBody());
}

bool isAnyPartReassigned(const clang::VarDecl& Variable, const clang::FunctionDecl& In) {
  return Search({&Variable, /*IsThis=*/false, /*IsPart=*/true, std::nullopt}, In.getASTContext()).isIn(In.getBody());
}

bool mayAssignMembers(const clang::CXXMethodDecl& Method) {
  const clang::FunctionDecl* Written = writtenBody(Method);
  const Holder This{nullptr, /*IsThis=*/true, false, std::nullopt};
  return !Written || Search(This, Method.getASTContext()).isIn(Written->getBody());
}

}  // namespace graphgen::check
