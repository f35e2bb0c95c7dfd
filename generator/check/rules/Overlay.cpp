// SPDX-License-Identifier: Apache-2.0
//
// The rows of the overlay: most rules are nothing but these.
#include "check/torch/Overlay.h"

#include "check/flow/Types.h"
#include "check/rules/Tensors.h"

#include "check/code/TensorCalls.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using flow::ValueRef;

/// How a program may spell what is given, where it is known.
bool isSpelled(const Occurrence& At, const clang::Expr* E, ValueRef Known, llvm::StringRef Word) {
  int64_t Number = 0;
  if (Known && Known->Number && !Word.getAsInteger(10, Number)) {
    return *Known->Number == Number;
  }
  if (Known && Known->Number && (Word == "true" || Word == "false")) {
    return (*Known->Number != 0) == (Word == "true");
  }
  if (Known && Known->Number && Word.consume_front("<") && !Word.getAsInteger(10, Number)) {
    return *Known->Number < Number;
  }
  if (Word == "cpu" && Known && Known->On == flow::Device::Host) {
    return true;
  }
  const clang::Expr* Plain = E ? E->IgnoreUnlessSpelledInSource() : nullptr;
  clang::Expr::EvalResult Constant;
  if (!Word.getAsInteger(10, Number) && Plain && Plain->getType()->isArithmeticType() && !Plain->isValueDependent() &&
      Plain->EvaluateAsRValue(Constant, At.Its.Function->getASTContext())) {
    return (Constant.Val.isInt() && Constant.Val.getInt() == Number) ||
           (Constant.Val.isFloat() && Constant.Val.getFloat().isExactlyValue(static_cast<double>(Number)));
  }
  if (const auto* Text = llvm::dyn_cast_if_present<clang::StringLiteral>(Plain)) {
    return Text->getString() == Word;
  }
  const auto* Name = llvm::dyn_cast_if_present<clang::DeclRefExpr>(Plain);
  return Name && Name->getDecl()->getIdentifier() && Name->getDecl()->getName().equals_insensitive(("k" + Word).str());
}

bool isOneOf(const Occurrence& At, const clang::Expr* E, ValueRef Known, llvm::StringRef Words) {
  return llvm::any_of(llvm::split(Words, '|'), [&](llvm::StringRef Each) { return isSpelled(At, E, Known, Each); });
}

bool isOfClass(const clang::Expr* E, llvm::StringRef Name) {
  clang::QualType Type = E ? E->getType() : clang::QualType();
  const bool IsList = E && flow::kindOf(Type) == flow::TypeKind::Sequence && flow::kindOf(flow::elementOf(Type)) == flow::TypeKind::Tensor;
  Type = IsList ? flow::elementOf(Type) : Type;
  const clang::CXXRecordDecl* Class = E ? Type.getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  if (!Class || !Class->hasDefinition()) {
    return false;
  }
  const auto Is = [&](const clang::CXXRecordDecl* Each) { return Each->getQualifiedNameAsString() == Name; };
  return Is(Class) || !Class->forallBases([&](const clang::CXXRecordDecl* Each) { return !Is(Each); });
}

/// Of an argument the gradient is asked for.
bool hasGradient(const Occurrence& At) {
  const auto IsAsked = [](ValueRef Each) { return Each && !Each->Differentiable.empty(); };
  return IsAsked(At.Its.Object) || llvm::any_of(At.Its.Arguments, IsAsked);
}

bool outlives(ValueRef Known) {
  return Known && llvm::any_of(Known->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
}

bool holds(const Condition& Asked, const Occurrence& At) {
  const ValueRef Known = At.argument(Asked.Parameter);
  const clang::Expr* E = At.expression(Asked.Parameter);
  switch (Asked.What) {
    case Condition::Kind::None:
      return true;
    case Condition::Kind::Given:
      return Known != nullptr;
    case Condition::Kind::NotGiven:
      return Known == nullptr;
    case Condition::Kind::Tensor:
      return E && isTensor(E->IgnoreUnlessSpelledInSource()->getType());
    case Condition::Kind::Is:
      return isOneOf(At, E, Known, Asked.Values);
    case Condition::Kind::IsNot:
      return !isOneOf(At, E, Known, Asked.Values);
    case Condition::Kind::DataOfTensor:
      return Known && (Known->Data || (E && isTensor(E->getType()) && Known->On != flow::Device::Host));
    case Condition::Kind::Sparse:
      return Known && (Asked.Values == "any" ? Known->Sparse != flow::Sparsity::Unknown : Known->Sparse == flow::Sparsity::Perhaps);
    case Condition::Kind::Dimensions:
      return Known && Known->Dimensions && *Known->Dimensions >= Asked.Count;
    case Condition::Kind::OfClass:
      return Asked.Parameter != "*"
                 ? isOfClass(E, Asked.Values)
                 : llvm::any_of(At.Its.Expressions, [&](const clang::Expr* Each) { return isOfClass(Each, Asked.Values); });
    case Condition::Kind::LivesOn:
      return outlives(Known);
    case Condition::Kind::PointsIntoTensor:
      return false;
    case Condition::Kind::Backward:
      return hasGradient(At);
  }
  return false;
}

bool isOfValues(llvm::StringRef Id) {
  return llvm::is_contained({"graphed-host-item", "graphed-host-compare", "graphed-host-print", "graphed-host-pointer",
                             "graphed-dynamic-shape", "graphed-linalg-sync"},
                            Id);
}

std::string nameIn(const Occurrence& At) {
  const clang::FunctionDecl& Function = *At.Its.Function;
  if (const auto* Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&Function)) {
    return Constructor->getParent()->getNameAsString();
  }
  return Function.getNameAsString();
}

std::string messageOf(const OverlayRow& Row, const std::string& Name) {
  const auto [Before, After] = Row.What->Says.split('%');
  const std::string Says = Row.What->IsWhole || Before.starts_with("this ") ? Before.str() + (After.empty() ? "" : Name + After.str())
                                                                            : "'" + Name + "' " + Before.str();
  const bool IsFunction = !Row.Instead.empty() && !Row.Instead.contains(' ');
  return Says + (IsFunction ? "; '" + Row.Instead.str() + "' does not" : Row.Instead.empty() ? "" : "; " + Row.Instead.str());
}

void judgeOverlay(const Occurrence& At) {
  if (!At.Its.Function) {
    return;
  }
  for (const OverlayRow* Each : overlayOf(*At.Its.Function)) {
    const Effect& What = *Each->What;
    const bool Applies = !What.Rule.empty() && llvm::all_of(Each->Conditions, [&](const Condition& One) { return holds(One, At); });
    if (!Applies || (isOfValues(What.Rule) && isOfKnownValues(At))) {
      continue;
    }
    const std::string Message = messageOf(*Each, nameIn(At));
    if (What.How == Level::Certain) {
      At.report(What.Rule, At.where(), Message);
    } else {
      At.suspect(What.Rule, At.where(), Message);
    }
    return;
  }
}

}  // namespace

const Rule rules::Overlay{.OnCall = judgeOverlay};

}  // namespace graphgen::check
