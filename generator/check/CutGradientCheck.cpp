// SPDX-License-Identifier: Apache-2.0
//
// Looks at every use of such an argument in the annotated body: all of them must cut its history, or ask for its form only.
#include "check/CutGradientCheck.h"

#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace graphgen::check {
namespace {

enum class Use { Form, Cut, Other };

struct Judged {
  Use Kind = Use::Other;
  std::string By;  // Cut
  clang::SourceLocation Where;
  clang::SourceRange Range;
};

bool isComparison(clang::OverloadedOperatorKind Operator) {
  return llvm::is_contained(
      {clang::OO_Less, clang::OO_LessEqual, clang::OO_Greater, clang::OO_GreaterEqual, clang::OO_EqualEqual, clang::OO_ExclaimEqual},
      Operator);
}

Use useBy(llvm::StringRef Method) {
  return llvm::StringSwitch<Use>(Method)
      .Cases({"detach", "data", "variable_data", "tensor_data"}, Use::Cut)
      .Cases({"argmax", "argmin", "argsort", "gt", "ge", "lt", "le", "eq", "ne", "isnan", "isfinite"}, Use::Cut)
      .Cases({"size", "sizes", "dim", "numel", "stride", "strides", "defined", "device", "dtype", "options", "scalar_type"}, Use::Form)
      .Cases({"requires_grad", "is_cuda", "is_contiguous", "new_zeros", "new_ones", "new_empty", "new_full"}, Use::Form)
      .Default(Use::Other);
}

/// A variable that keeps grad mode off as long as it lives.
bool isGuard(const clang::Stmt& S) {
  const auto* Declaration = llvm::dyn_cast<clang::DeclStmt>(&S);
  return Declaration && llvm::any_of(Declaration->decls(), [](const clang::Decl* Each) {
           const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Each);
           return Variable && libraryClass(Variable->getType()) == "NoGradGuard";
         });
}

bool hasGuardBefore(const clang::CompoundStmt& Block, const clang::Stmt& Part) {
  for (const clang::Stmt* Each : Block.body()) {
    if (Each == &Part || isGuard(*Each)) {
      return Each != &Part;
    }
  }
  return false;
}

class Uses {
 public:
  explicit Uses(const clang::FunctionDecl& Function) : Body(Function.getBody()), Parents(Function.getBody()) {}

  std::vector<Judged> of(const clang::ParmVarDecl& Parameter) {
    Found.clear();
    collect(Body, Parameter);
    return Found;
  }

 private:
  void collect(clang::Stmt* S, const clang::ParmVarDecl& Parameter) {
    if (!S) {
      return;
    }
    const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(S);
    auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(S);
    if (Name && Name->getDecl() == &Parameter) {
      Found.push_back(judge(*Name));
    }
    if (Lambda && llvm::any_of(Lambda->captures(), [&](const clang::LambdaCapture& Each) {
          return Each.capturesVariable() && Each.getCapturedVar() == &Parameter;
        })) {
      Found.emplace_back();
      return;
    }
    for (clang::Stmt* Each : S->children()) {
      collect(Each, Parameter);
    }
  }

  Judged judge(clang::DeclRefExpr& Name) {
    const clang::Stmt* User = Parents.getParentIgnoreParenCasts(&Name);
    if (const auto* Member = llvm::dyn_cast_if_present<clang::MemberExpr>(User)) {
      const Use Kind = useBy(Member->getMemberDecl()->getIdentifier() ? Member->getMemberDecl()->getName() : "");
      if (Kind != Use::Other) {
        return {Kind, "'" + Member->getMemberDecl()->getNameAsString() + "'", Member->getMemberLoc(), Member->getSourceRange()};
      }
    }
    const auto* Operator = llvm::dyn_cast_if_present<clang::CXXOperatorCallExpr>(User);
    if (Operator && isComparison(Operator->getOperator())) {
      return {Use::Cut, "a comparison", Operator->getOperatorLoc(), Operator->getSourceRange()};
    }
    if (isUnderGuard(Name)) {
      return {Use::Cut, "a guard", Name.getLocation(), Name.getSourceRange()};
    }
    return {};
  }

  bool isUnderGuard(clang::Stmt& S) {
    const clang::Stmt* Part = &S;
    for (const clang::Stmt* Each = Parents.getParent(&S); Each; Part = Each, Each = Parents.getParent(Each)) {
      const auto* Block = llvm::dyn_cast<clang::CompoundStmt>(Each);
      if (Block && hasGuardBefore(*Block, *Part)) {
        return true;
      }
    }
    return false;
  }

  clang::Stmt* Body;
  clang::ParentMap Parents;
  std::vector<Judged> Found;
};

bool isMarked(const clang::ParmVarDecl& Parameter, AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const annotation::Bound* Argument = argumentOf(*Each, Parameter);
    return Argument && annotation::anyHasFlag(*Argument, annotation::Flag::Grad);
  });
}

}  // namespace

void CutGradientCheck::check(const clang::Stmt& S, const Place& At) const {
  const clang::FunctionDecl& Function = *At.In.Function;
  if (At.In.Caller || &S != Function.getBody()) {
    return;
  }
  std::optional<Uses> All;
  for (const clang::ParmVarDecl* Each : Function.parameters()) {
    if (!isTensor(Each->getType()) || !isMarked(*Each, At.Annotations)) {
      continue;
    }
    if (!All) {
      All.emplace(Function);
    }
    const std::vector<Judged> Found = All->of(*Each);
    const auto First = llvm::find_if(Found, [](const Judged& Use) { return Use.Kind == Use::Cut; });
    if (First != Found.end() && llvm::none_of(Found, [](const Judged& Use) { return Use.Kind == Use::Other; })) {
      suspect(At, First->Where, First->Range,
              "the argument '" + Each->getName() + "' is marked 'grad', and gets no gradient: " + First->By + " cuts it off");
    }
  }
}

}  // namespace graphgen::check
