// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, through local variables and what parameters are given.
#include "check/StaticValues.h"

#include "check/code/DataReads.h"
#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostStaticSteps = 256;  // of one question

bool isOfForm(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"size", "sizes", "dim", "ndimension", "numel", "device", "dtype", "options", "scalar_type"}, true)
      .Cases({"is_cuda", "is_cpu", "get_device", "is_floating_point"}, true)
      .Default(false);
}

bool isOfSize(llvm::StringRef Name) { return llvm::StringSwitch<bool>(Name).Cases({"size", "sizes", "numel"}, true).Default(false); }

bool computes(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"max", "min", "size", "vec", "slice", "front", "back", "make_pair", "make_tuple", "to_string"}, true)
      .Cases({"device", "type", "index", "is_cuda", "is_cpu", "dtype"}, true)  // of options and devices
      .Default(false);
}

bool isAnnotated(const clang::ParmVarDecl& Parameter) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Parameter.getDeclContext());
  return Function && llvm::any_of(Function->specific_attrs<clang::AnnotateAttr>(),
                                  [](const clang::AnnotateAttr* Each) { return Each->getAnnotation() == "graphed"; });
}

/// Of the annotated callable whose body, or what that calls, is looked at.
struct Keys {
  AnnotationsOfOne Annotations;
  const Frame& In;
};

class Values {
 public:
  /// With keys only what does not change from one to another.
  Values(const UnitIndex& Index, std::optional<Keys> OfAll) : Index(Index), OfAll(OfAll) {}

  bool isStatic(const clang::Expr& Given) {
    const clang::Expr& E = withoutCasts(Given);
    if (++Steps > MostStaticSteps) {
      return false;
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
      return isStaticName(*Name);
    }
    if (llvm::isa<clang::MemberExpr>(E)) {
      return isSetByConstructorsOnly(E, Index);
    }
    if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
      return isStaticCall(*Call);
    }
    const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E);
    const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&E);
    const bool IsComputed = (Unary && !Unary->isIncrementDecrementOp()) || (Binary && !Binary->isAssignmentOp()) ||
                            llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CXXBoolLiteralExpr, clang::StringLiteral,
                                      clang::CXXConstructExpr, clang::InitListExpr, clang::ConditionalOperator>(E);
    return IsComputed && llvm::all_of(E.children(), [&](const clang::Stmt* Each) {
             const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
             return !Each || (Part && isStatic(*Part));
           });
  }

 private:
  bool isStaticName(const clang::DeclRefExpr& Name) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name.getDecl());
    if (!Variable) {
      return llvm::isa<clang::EnumConstantDecl>(Name.getDecl());
    }
    if (const auto* Parameter = llvm::dyn_cast<clang::ParmVarDecl>(Variable)) {
      return isStaticParameter(*Parameter);
    }
    if (!Variable->isLocalVarDecl() || Variable->isStaticLocal()) {
      return isSetByConstructorsOnly(Name, Index);
    }
    return Variable->getInit() && !isReassigned(*Variable) && isStatic(*Variable->getInit());
  }

  /// The annotated callable's numbers that may change in each call are floating ones, as `live`; others, and strings, are keys.
  bool isStaticParameter(const clang::ParmVarDecl& Parameter) {
    if (isReassigned(Parameter)) {
      return false;
    }
    if (isAnnotated(Parameter)) {
      const clang::QualType Type = Parameter.getType().getNonReferenceType();
      const bool IsKey =
          Type->isIntegralOrEnumerationType() || llvm::is_contained({"basic_string", "basic_string_view"}, libraryClass(Type));
      return IsKey && (!OfAll || isConstant(Parameter, OfAll->Annotations));
    }
    const llvm::ArrayRef<const clang::Expr*> Given = Index.argumentsFor(Parameter);
    return !Given.empty() && llvm::all_of(Given, [&](const clang::Expr* Each) { return isStatic(*Each); });
  }

  bool isStaticCall(const clang::CallExpr& Call) {
    const clang::FunctionDecl* Function = Call.getDirectCallee();
    if (!Function || !isOfLibrary(*Function)) {
      return false;
    }
    const auto AreArgumentsStatic = [&] {
      return llvm::all_of(Call.arguments(), [&](const clang::Expr* Each) { return isDefault(*Each) || isStatic(*Each); });
    };
    const llvm::StringRef Name = Function->getIdentifier() ? Function->getName() : "";
    const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
    if (Method && isTensor(Method->getImplicitObjectArgument()->getType())) {
      const bool IsOne = !OfAll || !isOfSize(Name) || hasOneShape(*Method->getImplicitObjectArgument(), OfAll->Annotations, OfAll->In);
      return isOfForm(Name) && asksForFormOnly(Call) && AreArgumentsStatic() && IsOne;
    }
    const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
    const bool IsComputed = computes(Name) || (Operator && !Operator->isAssignmentOp() && Operator->getOperator() != clang::OO_PlusPlus &&
                                               Operator->getOperator() != clang::OO_MinusMinus);
    return IsComputed && (!Method || isStatic(*Method->getImplicitObjectArgument())) && AreArgumentsStatic();
  }

  static bool isDefault(const clang::Expr& E) { return llvm::isa<clang::CXXDefaultArgExpr>(E); }

  const UnitIndex& Index;
  const std::optional<Keys> OfAll;
  unsigned Steps = 0;
};

}  // namespace

bool isStaticValue(const clang::Expr& E, const UnitIndex& Index) { return Values(Index, std::nullopt).isStatic(E); }

bool isOneValue(const clang::Expr& E, const Frame& In, const UnitIndex& Index, AnnotationsOfOne Annotations) {
  return Values(Index, Keys{Annotations, In}).isStatic(E);
}

bool isSetByConstructorsOnly(const clang::Expr& E, const UnitIndex& Index) {
  const Path To = pathOf(E);
  return To.Named && llvm::all_of(Index.writesTo(*To.Named),
                                  [](const StateWrite& Each) { return !Each.Writer || llvm::isa<clang::CXXConstructorDecl>(Each.Writer); });
}

}  // namespace graphgen::check
