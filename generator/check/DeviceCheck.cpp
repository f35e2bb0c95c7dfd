// SPDX-License-Identifier: Apache-2.0
//
// Factories whose arguments say the host, and indexes of GPUs that differ within a body.
#include "check/DeviceCheck.h"

#include "check/HostValues.h"
#include "check/code/BodyWalk.h"
#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Devices.h"

#include "clang/AST/ExprCXX.h"

#include <optional>

namespace graphgen::check {
namespace {

bool makesTensor(const clang::Stmt& S) {
  return bool(tensorCall(S, {"zeros",    "ones",       "empty",         "full",       "eye",       "arange",    "linspace",
                             "logspace", "tensor",     "scalar_tensor", "rand",       "randn",     "randint",   "randperm",
                             "normal",   "zeros_like", "ones_like",     "empty_like", "full_like", "rand_like", "randn_like"}));
}

std::optional<int64_t> indexIn(llvm::StringRef Text) {
  int64_t Index = 0;
  return Text.consume_front("cuda:") && !Text.getAsInteger(10, Index) ? std::optional(Index) : std::nullopt;
}

/// The text among the parts of E.
const clang::StringLiteral* textIn(const clang::Stmt& E) {
  if (const auto* Text = llvm::dyn_cast<clang::StringLiteral>(&E)) {
    return Text->isOrdinary() ? Text : nullptr;
  }
  for (const clang::Stmt* Each : E.children()) {
    if (const clang::StringLiteral* Text = Each ? textIn(*Each) : nullptr) {
      return Text;
    }
  }
  return nullptr;
}

/// Of torch::Device(torch::kCUDA, 1) and torch::Device("cuda:1").
std::optional<int64_t> indexNamed(const clang::Stmt& S) {
  const auto* Device = llvm::dyn_cast<clang::CXXConstructExpr>(&S);
  if (!Device || Device->getNumArgs() == 0 || libraryClass(Device->getType()) != "Device") {
    return std::nullopt;
  }
  if (const clang::StringLiteral* Text = textIn(*Device->getArg(0))) {
    return indexIn(Text->getString());
  }
  clang::Expr::EvalResult Index;
  const bool IsKnown = Device->getNumArgs() > 1 && !Device->getArg(1)->isValueDependent() &&
                       Device->getArg(1)->EvaluateAsInt(Index, Device->getConstructor()->getASTContext());
  return IsKnown && Index.Val.getInt().isNonNegative() ? std::optional(Index.Val.getInt().getExtValue()) : std::nullopt;
}

/// The first device of the body, where its index is another one.
const clang::Stmt* otherDevice(const clang::FunctionDecl& Body, const clang::Stmt& S, int64_t Index) {
  const clang::Stmt* First = nullptr;
  walkBody(Body, [&](const clang::Stmt& Each, bool) { First = First || !indexNamed(Each) ? First : &Each; });
  return First && First != &S && indexNamed(*First) != Index ? First : nullptr;
}

}  // namespace

void DeviceCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const auto* Made = llvm::dyn_cast<clang::CallExpr>(&S); Made && makesTensor(S) && makesHostTensor(*Made, At.Index)) {
    if (makesTableOfNumbers(*Made, At)) {
      return;
    }
    return suspect(At, knownCall(S).Where, S.getSourceRange(),
                   "a tensor is made on the host, whose operators a graph of a GPU leaves out: they run at the capture only");
  }
  if (const std::optional<int64_t> Index = indexNamed(S)) {
    if (const clang::Stmt* Other = otherDevice(*At.In.Function, S, *Index)) {
      suspect(At, S.getBeginLoc(), S.getSourceRange(), "a second GPU: a graph holds the work of one",
              {{Other->getBeginLoc(), "another one is named here"}});
    }
  }
}

}  // namespace graphgen::check
