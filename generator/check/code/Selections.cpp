// SPDX-License-Identifier: Apache-2.0
//
// From the part outwards, one step at a time.
#include "check/code/Selections.h"

#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostSelectionSteps = 64;  // a variable may name itself

std::optional<unsigned> constantIndex(const clang::Expr& E, const clang::ASTContext& Context) {
  clang::Expr::EvalResult Result;
  const bool IsKnown = !E.isValueDependent() && E.getType()->isIntegralOrEnumerationType() && E.EvaluateAsInt(Result, Context);
  const bool IsSmall = IsKnown && Result.Val.getInt().isNonNegative() && Result.Val.getInt().getActiveBits() < 16;
  return IsSmall ? std::optional(static_cast<unsigned>(Result.Val.getInt().getZExtValue())) : std::nullopt;
}

/// Of the types of a tuple or pair.
std::optional<unsigned> placeOf(clang::QualType Wanted, clang::QualType Tuple) {
  const llvm::ArrayRef<clang::TemplateArgument> Types = elementTypes(Tuple);
  const auto Found = llvm::find_if(Types, [&](const clang::TemplateArgument& Each) {
    return Each.getKind() == clang::TemplateArgument::Type && Each.getAsType().getCanonicalType() == Wanted.getCanonicalType();
  });
  return Found == Types.end() ? std::nullopt : std::optional(static_cast<unsigned>(Found - Types.begin()));
}

/// std::get of a tuple, pair or array.
Selection got(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  const bool IsGet = Function && Function->getIdentifier() && Function->getName() == "get" && Function->isInStdNamespace();
  const clang::TemplateArgumentList* Arguments = IsGet && Call.getNumArgs() == 1 ? Function->getTemplateSpecializationArgs() : nullptr;
  if (!Arguments || Arguments->size() == 0 || !llvm::is_contained({"tuple", "pair", "array"}, libraryClass(Call.getArg(0)->getType()))) {
    return {};
  }
  const clang::TemplateArgument& Chosen = Arguments->get(0);
  if (Chosen.getKind() == clang::TemplateArgument::Integral) {
    return {Call.getArg(0), nullptr, static_cast<unsigned>(Chosen.getAsIntegral().getZExtValue())};
  }
  const bool IsType = Chosen.getKind() == clang::TemplateArgument::Type;
  return {Call.getArg(0), nullptr, IsType ? placeOf(Chosen.getAsType(), Call.getArg(0)->getType()) : std::nullopt};
}

Selection element(const clang::CXXMemberCallExpr& Call, const clang::ASTContext& Context) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const clang::Expr* List = Call.getImplicitObjectArgument();
  const llvm::StringRef Name = Method && Method->getIdentifier() && isList(List->getType()) ? Method->getName() : "";
  if (Name == "at" && Call.getNumArgs() == 1) {
    return {List, nullptr, constantIndex(*Call.getArg(0), Context)};
  }
  return Name == "front" ? Selection{List, nullptr, 0} : Name == "back" ? Selection{List} : Selection();
}

/// `it`, `__range`, `auto& other`.
bool standsForAnother(const clang::VarDecl& Variable) {
  const clang::QualType Type = Variable.getType();
  return Variable.isLocalVarDecl() && Variable.getInit() &&
         (Type->isReferenceType() || Type->isPointerType() || libraryClass(Type).contains("iterator"));
}

bool leadsToElement(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name).Cases({"begin", "end", "rbegin", "rend", "cbegin", "data", "value", "get"}, true).Default(false);
}

/// What a library's call hands on, or leads into; null where it does neither.
const clang::Expr* handedOnBy(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !isOfLibrary(*Function)) {
    return nullptr;
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    const bool Leads = llvm::is_contained({clang::OO_Star, clang::OO_Arrow}, Operator->getOperator());
    return Leads && !isTensor(Call.getArg(0)->getType()) ? Call.getArg(0) : nullptr;
  }
  const llvm::StringRef Name = Function->getIdentifier() ? Function->getName() : "";
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
    return leadsToElement(Name) && !isTensor(Method->getObjectType()) ? Method->getImplicitObjectArgument() : nullptr;
  }
  const bool HandsOn = llvm::is_contained({"move", "forward", "as_const", "ref", "begin", "end"}, Name);
  return HandsOn && Call.getNumArgs() != 0 ? Call.getArg(0) : nullptr;
}

}  // namespace

bool isList(clang::QualType Type) {
  return llvm::StringSwitch<bool>(libraryClass(Type)).Cases({"vector", "array", "ArrayRef", "initializer_list"}, true).Default(false);
}

llvm::ArrayRef<clang::TemplateArgument> elementTypes(clang::QualType Tuple) {
  const auto* Class = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Tuple.getNonReferenceType()->getAsRecordDecl());
  if (!Class || Class->getTemplateArgs().size() == 0) {
    return {};
  }
  const clang::TemplateArgument& First = Class->getTemplateArgs()[0];
  return First.getKind() == clang::TemplateArgument::Pack ? First.getPackAsArray() : Class->getTemplateArgs().asArray();
}

Selection selection(const clang::Expr& Given, const clang::ASTContext& Context) {
  const clang::Expr& E = withoutCasts(Given);
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    const auto* Field = llvm::dyn_cast<clang::FieldDecl>(Member->getMemberDecl());
    return Field ? Selection{Member->getBase(), Field, Field->getFieldIndex()} : Selection();
  }
  if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&E)) {
    return {Element->getBase(), nullptr, constantIndex(*Element->getIdx(), Context)};
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E)) {
    const bool IsElement = Operator->getOperator() == clang::OO_Subscript && isList(Operator->getArg(0)->getType());
    return IsElement ? Selection{Operator->getArg(0), nullptr, constantIndex(*Operator->getArg(1), Context)} : Selection();
  }
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
    return element(*Method, Context);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  return Call ? got(*Call) : Selection();
}

Holder holderOf(const clang::Expr& Given, const clang::ASTContext& Context) {
  Holder Result;
  const clang::Expr* E = &Given;
  for (unsigned Step = 0; E && Step < MostSelectionSteps; ++Step) {
    E = &withoutCasts(*E);
    if (llvm::isa<clang::CXXThisExpr>(E)) {
      Result.IsThis = true;
      return Result;
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
      const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(Name->getDecl());
      const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
      const bool IsOther = Variable && standsForAnother(*Variable);
      if (Variable && !IsOther) {
        Result.Variable = Variable->hasLocalStorage() ? Variable : nullptr;
        return Result;
      }
      E = Binding ? Binding->getBinding() : IsOther ? Variable->getInit() : nullptr;
    } else if (const Selection Its = selection(*E, Context)) {
      Result.IsPart = true;
      Result.Index = Its.Index;
      E = Its.Whole;
    } else if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(E)) {
      const bool Leads = Unary->getOpcode() == clang::UO_Deref || Unary->getOpcode() == clang::UO_AddrOf;
      E = Leads ? Unary->getSubExpr() : nullptr;
    } else if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(E)) {
      if (llvm::isa<clang::CXXMemberCallExpr>(Call)) {
        Result.IsPart = true;
        Result.Index = std::nullopt;
      }
      E = handedOnBy(*Call);
    } else {
      E = nullptr;
    }
  }
  return {};
}

}  // namespace graphgen::check
