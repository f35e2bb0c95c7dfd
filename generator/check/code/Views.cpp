// SPDX-License-Identifier: Apache-2.0
//
// By names. `contiguous` and its like copy what a transposition or a slice has left.
#include "check/code/Views.h"

#include "check/code/GivenArguments.h"
#include "check/code/Indices.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

llvm::StringRef nameIn(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  return Function && Function->getIdentifier() ? Function->getName() : "";
}

/// As contiguous as their tensors.
bool isPlainView(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"view", "view_as", "squeeze", "unsqueeze", "unflatten", "alias"}, true)
      .Cases({"detach", "data", "variable_data", "tensor_data"}, true)
      .Default(false);
}

bool isPartOrPermutation(const clang::CallExpr& Call) {
  return llvm::StringSwitch<bool>(nameIn(Call))
      .Cases({"select", "slice", "narrow", "t", "mT", "mH", "transpose", "permute", "movedim", "swapaxes"}, true)
      .Cases({"expand", "expand_as", "diagonal", "unfold", "as_strided"}, true)
      .Cases({"chunk", "split", "split_with_sizes", "tensor_split", "hsplit", "vsplit", "dsplit", "unbind"}, true)
      .Default(isSlicing(Call));
}

bool isRearranged(const clang::Expr& Given, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 32;  // a variable may name itself
  const clang::Expr& E = originOf(Given);
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::Expr* Tensor = Call ? tensorOf(*Call) : nullptr;
  return Tensor && Depth < MostDepth && (isPartOrPermutation(*Call) || isRearranged(*Tensor, Depth + 1));
}

bool isDefaulted(const clang::CallExpr& Call, unsigned Argument) {
  return Argument >= Call.getNumArgs() || llvm::isa<clang::CXXDefaultArgExpr>(Call.getArg(Argument));
}

bool copiesRearranged(const clang::CallExpr& Call) {
  return llvm::StringSwitch<bool>(nameIn(Call))
      .Cases({"reshape", "reshape_as", "flatten", "ravel"}, true)
      .Case("contiguous", isDefaulted(Call, 0))
      .Default(false);
}

}  // namespace

Showing showingOf(const clang::CallExpr& Call) {
  if (isPlainView(nameIn(Call)) || isPartOrPermutation(Call)) {
    return Showing::Values;
  }
  const bool MayShow = isConversion(Call) ? !isTrue(argumentGiven(Call, "copy")) : copiesRearranged(Call) && !isRearranged(*tensorOf(Call));
  return MayShow ? Showing::Perhaps : Showing::Nothing;
}

bool isConversion(const clang::CallExpr& Call) { return nameIn(Call) == "to"; }

}  // namespace graphgen::check
