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

class PartCollector {
 public:
  using Found = std::map<const clang::VarDecl*, PartChanges>;

  PartCollector(ReassignedParts& Others, const clang::ASTContext& Context) : Others(Others), Context(Context) {}

  Found collect(const clang::Stmt* Body) {
    visit(Body);
    return std::move(Changes);
  }

 private:
  void visit(const clang::Stmt* S) {
    if (!S) {
      return;
    }
    addChanges(*S);
    for (const clang::Stmt* Each : S->children()) {
      visit(Each);
    }
  }

  void addChanges(const clang::Stmt& S) {
    if (const auto* Assignment = llvm::dyn_cast<clang::BinaryOperator>(&S)) {
      const clang::QualType Type = Assignment->getLHS()->getType();
      if (Assignment->isAssignmentOp() && (Type->isPointerType() || Type->isDependentType())) {
        addTarget(*Assignment->getLHS());
      }
      return;
    }
    if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S); Operator && Operator->isAssignmentOp()) {
      return Operator->getOperator() == clang::OO_Equal ? addTarget(*Operator->getArg(0)) : void();
    }
    if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&S)) {
      return addListed(*List);
    }
    if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
      addObject(*Method);
    }
    if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S)) {
      addGiven(*Call);
    }
  }

  /// `part = value`, `*this = value`.
  void addTarget(const clang::Expr& E) {
    const Holder Its = holderOf(E, Context);
    if (Its && (Its.IsPart || Its.IsThis)) {
      Changes[Its.Variable].add(Its.IsPart ? Its.Index : std::nullopt);
    }
  }

  /// What is done to a part of a part is done to that.
  void addInner(const clang::Expr& E, const PartChanges& Inner) {
    const Holder Its = holderOf(E, Context);
    if (!Its || !Inner.isAny()) {
      return;
    }
    if (Its.IsPart) {
      Changes[Its.Variable].add(Its.Index);
    } else {
      Changes[Its.Variable].add(Inner);
    }
  }

  /// `for (Tensor* t : {&s.a, &s.b}) *t = ...`
  void addListed(const clang::InitListExpr& List) {
    for (const clang::Expr* Each : List.inits()) {
      const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(Each->IgnoreParenImpCasts());
      if (Address && Address->getOpcode() == clang::UO_AddrOf) {
        addTarget(*Address->getSubExpr());
      }
    }
  }

  static PartChanges all() {
    PartChanges Result;
    Result.AreAll = true;
    return Result;
  }

  void addObject(const clang::CXXMemberCallExpr& Call) {
    const clang::CXXMethodDecl* Method = Call.getMethodDecl();
    if (!Method || Method->isConst() || isTensor(Call.getObjectType())) {
      return;
    }
    if (!isOfLibrary(*Method)) {
      addInner(*Call.getImplicitObjectArgument(), Others.ofObject(*Method));
    } else if (Method->getIdentifier() && replacesElements(Method->getName())) {
      addInner(*Call.getImplicitObjectArgument(), all());
    }
  }

  void addGiven(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    const bool IsMethod = llvm::isa_and_nonnull<clang::CXXMethodDecl>(Function);
    const bool IsUnknown = !Function && Call.isTypeDependent();
    const bool IsExchange = Function && isOfLibrary(*Function) && Function->isInStdNamespace() && !IsMethod && !leavesElements(*Function) &&
                            !llvm::isa<clang::CXXOperatorCallExpr>(Call);
    if (IsUnknown || IsExchange) {
      for (const clang::Expr* Each : Call.arguments()) {
        addInner(*Each, all());
      }
      return;
    }
    const unsigned First = IsMethod && llvm::isa<clang::CXXOperatorCallExpr>(Call) ? 1 : 0;
    const bool IsPrograms = Function && !isOfLibrary(*Function);
    for (unsigned Index = First; IsPrograms && Index < Call.getNumArgs() && Index - First < Function->getNumParams(); ++Index) {
      if (mayChange(Function->getParamDecl(Index - First)->getType())) {
        addInner(*Call.getArg(Index), Others.ofParameter(*Function, Index - First));
      }
    }
  }

  ReassignedParts& Others;
  const clang::ASTContext& Context;
  Found Changes;
};

}  // namespace

void PartChanges::add(std::optional<unsigned> Place) {
  AreAll |= !Place;
  if (Place) {
    Places.insert(*Place);
  }
}

void PartChanges::add(const PartChanges& Others) {
  AreAll |= Others.AreAll;
  Places.insert(Others.Places.begin(), Others.Places.end());
}

bool ReassignedParts::isReassigned(const Selection& Part, const clang::FunctionDecl& In) {
  const Holder Its = holderOf(*Part.Whole, In.getASTContext());
  if (!Its || (Its.Variable && Its.Variable->getType()->isReferenceType())) {
    return false;
  }
  const auto* Around = Its.Variable ? llvm::dyn_cast<clang::FunctionDecl>(Its.Variable->getDeclContext()) : &In;
  return !Around || of(Its.Variable, *Around).includes(Its.IsPart ? Its.Index : Part.Index);
}

bool ReassignedParts::isReassigned(const clang::VarDecl& Variable) {
  const auto [Known, IsNew] = Wholes.try_emplace(&Variable, true);
  if (IsNew) {
    Known->second = check::isReassigned(Variable);
  }
  return Known->second;
}

PartChanges ReassignedParts::ofObject(const clang::CXXMethodDecl& Method) {
  const clang::FunctionDecl* Written = writtenBody(Method);
  return Written ? of(nullptr, *Written) : PartChanges{true, {}};
}

PartChanges ReassignedParts::ofParameter(const clang::FunctionDecl& F, unsigned Index) {
  const clang::FunctionDecl* Written = writtenBody(F);
  if (!Written) {
    return {true, {}};
  }
  const clang::ParmVarDecl& Parameter = *Written->getParamDecl(Index);
  return isTensor(F.getParamDecl(Index)->getType()) ? PartChanges{isReassigned(Parameter), {}} : of(&Parameter, *Written);
}

PartChanges ReassignedParts::of(const clang::VarDecl* Holder, const clang::FunctionDecl& Definition) {
  const clang::FunctionDecl* Canonical = Definition.getCanonicalDecl();
  const auto [Before, IsNew] = Known.try_emplace(Canonical);
  if (IsNew && Depth < MostDepth) {
    ++Depth;
    ByHolder Found = PartCollector(*this, Definition.getASTContext()).collect(Definition.getBody());
    --Depth;
    Known[Canonical] = std::move(Found);
  } else if (IsNew) {
    Known.erase(Before);
    return {true, {}};
  }
  const std::optional<ByHolder>& Found = Known[Canonical];
  if (!Found) {
    return {true, {}};
  }
  const auto Its = Found->find(Holder);
  return Its == Found->end() ? PartChanges() : Its->second;
}

}  // namespace graphgen::check
