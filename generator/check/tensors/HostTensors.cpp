// SPDX-License-Identifier: Apache-2.0
//
// By a table of LibTorch's schema; through operators whose tensors all lie there, variables and the functions of the unit.
#include "check/tensors/HostTensors.h"

#include "check/code/KnownCalls.h"
#include "check/code/Library.h"
#include "check/code/Reassigned.h"
#include "check/code/Returned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Devices.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <vector>

namespace graphgen::check {
namespace {

constexpr unsigned MostHostTensorSteps = 256;  // of one question

constexpr llvm::StringLiteral Factories[] = {
    "from_blob",
    "tensor",
#include "check/tensors/HostFactories.inc"
};

bool mentionsPinned(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return (Function && Function->getIdentifier() && Function->getName() == "pinned_memory") ||
         llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && mentionsPinned(*Part);
         });
}

bool mayNamePlace(const clang::CallExpr& Call) {
  return llvm::any_of(Call.arguments(), [](const clang::Expr* Each) { return mayNameDevice(*Each) || mentionsPinned(*Each); });
}

bool isFactory(const clang::CallExpr& Call) {
  const KnownCall Known = knownCall(Call);
  const bool IsNamed = Known && Known.isOneOf({"torch::fft::fftfreq", "torch::fft::rfftfreq",
                                               "torch::nn::TransformerImpl::generate_square_subsequent_mask"});
  const TensorCall Named = tensorCall(Call, Factories);
  return (IsNamed || (Named && !Named.IsMethod)) &&
         llvm::none_of(Call.getDirectCallee()->parameters(), [](const clang::ParmVarDecl* Each) { return takesTensor(Each->getType()); });
}

/// A list of tensors, an optional one, an index.
bool mayCarryTensor(clang::QualType Type) {
  if (const clang::ArrayType* Array = Type->getAsArrayTypeUnsafe()) {
    return mayCarryTensor(Array->getElementType());
  }
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* Instance = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Class);
  return isTensor(Type) || libraryClass(Type) == "TensorIndex" ||
         (Instance && llvm::any_of(Instance->getTemplateArgs().asArray(), [](const clang::TemplateArgument& Each) {
            return Each.getKind() == clang::TemplateArgument::Type && mayCarryTensor(Each.getAsType());
          }));
}

/// Those written out in E, an argument; nothing where it holds others.
std::optional<std::vector<const clang::Expr*>> tensorsIn(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (isTensor(E.getType())) {
    return std::vector{&E};
  }
  std::vector<const clang::Expr*> Result;
  if (!mayCarryTensor(E.getType()) || llvm::isa<clang::CXXDefaultArgExpr>(E)) {
    return Result;
  }
  if (!llvm::isa<clang::CXXConstructExpr, clang::InitListExpr, clang::CXXStdInitializerListExpr>(E)) {
    return std::nullopt;
  }
  for (const clang::Stmt* Each : E.children()) {
    const auto* Child = llvm::dyn_cast_if_present<clang::Expr>(Each);
    const std::optional<std::vector<const clang::Expr*>> Part = Child ? tensorsIn(*Child) : std::nullopt;
    if (!Part) {
      return std::nullopt;
    }
    Result.insert(Result.end(), Part->begin(), Part->end());
  }
  return Result;
}

std::optional<std::vector<const clang::Expr*>> operandsOf(const clang::CallExpr& Call) {
  std::vector<const clang::Expr*> Result;
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
    Result.push_back(Method->getImplicitObjectArgument());
  }
  for (const clang::Expr* Each : Call.arguments()) {
    const std::optional<std::vector<const clang::Expr*>> Part = tensorsIn(*Each);
    if (!Part) {
      return std::nullopt;
    }
    Result.insert(Result.end(), Part->begin(), Part->end());
  }
  return Result;
}

class HostTensorSearch {
 public:
  /// The first that makes what E is, or is computed from.
  const clang::Expr* find(const clang::Expr& Given);

 private:
  const clang::Expr* ofVariable(const clang::DeclRefExpr& Name, const clang::VarDecl& Variable);
  const clang::Expr* ofCall(const clang::CallExpr& Call);
  const clang::Expr* ofReturned(const clang::FunctionDecl& Called);
  const clang::Expr* ofAll(llvm::ArrayRef<const clang::Expr*> Values);

  unsigned Steps = 0;
};

const clang::Expr* HostTensorSearch::find(const clang::Expr& Given) {
  const clang::Expr& E = withoutCasts(Given);
  if (++Steps > MostHostTensorSteps) {
    return nullptr;
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    return Variable ? ofVariable(*Name, *Variable) : nullptr;
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    const bool IsCopy = Construction->getNumArgs() == 1 && Construction->getConstructor()->isCopyOrMoveConstructor();
    return IsCopy ? find(*Construction->getArg(0)) : nullptr;
  }
  if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(&E)) {
    return ofAll({Choice->getTrueExpr(), Choice->getFalseExpr()});
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  return Call ? ofCall(*Call) : nullptr;
}

/// Of one that outlives the call only a constant stays what it was made.
const clang::Expr* HostTensorSearch::ofVariable(const clang::DeclRefExpr& Name, const clang::VarDecl& Variable) {
  const bool IsConstant = Variable.hasGlobalStorage() && Variable.getType().isConstQualified();
  if (IsConstant || (Variable.isLocalVarDecl() && !isReassigned(Variable))) {
    const clang::Expr* Made = Variable.getAnyInitializer();
    return Made ? find(*Made) : nullptr;
  }
  const bool IsOfCall = Variable.isLocalVarDecl() && !Variable.isStaticLocal();
  const std::optional<std::vector<const clang::Expr*>> Values = IsOfCall ? valuesAt(Name, Variable) : std::nullopt;
  return Values ? ofAll(*Values) : nullptr;
}

const clang::Expr* HostTensorSearch::ofCall(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || !isTensor(Call.getType())) {
    return nullptr;
  }
  if (!isOfLibrary(*Function)) {
    return ofReturned(*Function);
  }
  if (mayNamePlace(Call) || tensorCall(Call, {"cuda", "pin_memory"})) {
    return nullptr;
  }
  if (isFactory(Call)) {
    return &Call;
  }
  const std::optional<std::vector<const clang::Expr*>> Operands = operandsOf(Call);
  return Operands ? ofAll(*Operands) : nullptr;
}

const clang::Expr* HostTensorSearch::ofReturned(const clang::FunctionDecl& Called) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
  const clang::FunctionDecl* Definition = nullptr;
  if ((Method && Method->isVirtual()) || !Called.hasBody(Definition)) {
    return nullptr;
  }
  std::vector<const clang::Expr*> Values;
  for (const clang::ReturnStmt* Each : returnsIn(*Definition->getBody())) {
    Values.push_back(Each->getRetValue());
  }
  return ofAll(Values);
}

/// Null where one is made elsewhere, or there is none.
const clang::Expr* HostTensorSearch::ofAll(llvm::ArrayRef<const clang::Expr*> Values) {
  const clang::Expr* First = nullptr;
  for (const clang::Expr* Each : Values) {
    const clang::Expr* Made = Each && isTensor(Each->getType()) ? find(*Each) : nullptr;
    if (!Made) {
      return nullptr;
    }
    First = First ? First : Made;
  }
  return First;
}

}  // namespace

const clang::Expr* madeOnHost(const clang::Expr& E) { return HostTensorSearch().find(E); }

}  // namespace graphgen::check
