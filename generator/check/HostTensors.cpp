// SPDX-License-Identifier: Apache-2.0
//
// By a table of LibTorch's schema; through operators whose tensors all lie there.
#include "check/HostTensors.h"

#include "check/Devices.h"
#include "check/KnownCalls.h"
#include "check/Library.h"
#include "check/Reassigned.h"
#include "check/Spelled.h"
#include "check/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <vector>

namespace graphgen::check {
namespace {

constexpr unsigned MostDepth = 16;  // of operators on one another

constexpr llvm::StringLiteral Factories[] = {
    "from_blob",
    "tensor",
#include "check/HostFactories.inc"
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
bool mayHoldTensor(clang::QualType Type) {
  if (const clang::ArrayType* Array = Type->getAsArrayTypeUnsafe()) {
    return mayHoldTensor(Array->getElementType());
  }
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* Instance = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Class);
  return isTensor(Type) || libraryClass(Type) == "TensorIndex" ||
         (Instance && llvm::any_of(Instance->getTemplateArgs().asArray(), [](const clang::TemplateArgument& Each) {
            return Each.getKind() == clang::TemplateArgument::Type && mayHoldTensor(Each.getAsType());
          }));
}

/// Those written out in E, an argument; nothing where it holds others.
std::optional<std::vector<const clang::Expr*>> tensorsIn(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (isTensor(E.getType())) {
    return std::vector{&E};
  }
  std::vector<const clang::Expr*> Result;
  if (!mayHoldTensor(E.getType()) || llvm::isa<clang::CXXDefaultArgExpr>(E)) {
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

const clang::Expr* madeOnHost(const clang::Expr& E, unsigned Depth);

/// The first that makes what a library's call computes its result from.
const clang::Expr* computedOnHost(const clang::CallExpr& Call, unsigned Depth) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  const bool Computes = Function && isOfLibrary(*Function) && isTensor(Call.getType()) && !tensorCall(Call, {"cuda", "pin_memory"});
  const std::optional<std::vector<const clang::Expr*>> Operands = Computes ? operandsOf(Call) : std::nullopt;
  if (!Operands || Operands->empty()) {
    return nullptr;
  }
  std::vector<const clang::Expr*> Made;
  for (const clang::Expr* Each : *Operands) {
    Made.push_back(isTensor(Each->getType()) ? madeOnHost(*Each, Depth + 1) : nullptr);
  }
  return llvm::is_contained(Made, nullptr) ? nullptr : Made.front();
}

const clang::Expr* madeOnHost(const clang::Expr& Given, unsigned Depth) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&spelled(Given));
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&originOf(Given));
  if (Depth == MostDepth || !Call || (Variable && isReassigned(*Variable)) || mayNamePlace(*Call)) {
    return nullptr;
  }
  return isFactory(*Call) ? Call : computedOnHost(*Call, Depth);
}

}  // namespace

const clang::Expr* madeOnHost(const clang::Expr& E) { return madeOnHost(E, 0); }

}  // namespace graphgen::check
