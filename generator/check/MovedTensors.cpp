// SPDX-License-Identifier: Apache-2.0
//
// By the operators' names. A number at an index is not among them: it is written by `fill_`, or told by itself.
#include "check/MovedTensors.h"

#include "check/code/Indices.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isNumber(const clang::Expr& E, const Place& At) { return At.Forms.hasDimensions(E, 0, At.In); }

/// Only those without dimensions; with others it is an error of LibTorch's.
MovedTensors ofChoice(const TensorCall& Choice, const Place& At) {
  MovedTensors Result = {Choice.Name.str(), Choice.Where, {}, {}};
  if (Choice.IsMethod) {
    Result.Beside.push_back(tensorOf(*Choice.Call));
  }
  llvm::copy_if(Choice.Call->arguments(), std::back_inserter(Result.Beside),
                [](const clang::Expr* Each) { return isTensor(Each->getType()); });
  llvm::copy_if(Result.Beside, std::back_inserter(Result.Moved), [&](const clang::Expr* Each) { return isNumber(*Each, At); });
  return Result;
}

/// What is written at slices and integers alone is copied there.
MovedTensors ofIndex(const Indexing& Index, const Place& At) {
  MovedTensors Result = {Index.Call->getDirectCallee()->getName().str(), Index.Where, {}, {Index.Indexed}};
  llvm::copy_if(Index.Tensors, std::back_inserter(Result.Moved),
                [&](const clang::Expr* Each) { return !Index.IsByTensorIndex || !isNumber(*Each, At); });
  if (Index.Written && Index.IsByTensorIndex && Index.Tensors.empty() && !isNumber(*Index.Written, At)) {
    Result.Moved.push_back(Index.Written);
  }
  return Result;
}

}  // namespace

MovedTensors movedTensors(const clang::Stmt& S, const Place& At) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S)) {
    const bool IsCopy = Operator->getOperator() == clang::OO_Equal && isTensor(Operator->getArg(0)->getType()) &&
                        !Operator->getArg(0)->isLValue() && isTensor(Operator->getArg(1)->getType());
    return IsCopy ? MovedTensors{"=", Operator->getOperatorLoc(), {Operator->getArg(1)}, {Operator->getArg(0)}} : MovedTensors();
  }
  if (const TensorCall Choice = tensorCall(S, {"where"})) {
    return ofChoice(Choice, At);
  }
  if (const TensorCall Copy = tensorCall(S, {"copy_"}); Copy && Copy.IsMethod) {
    return {Copy.Name.str(), Copy.Where, {Copy.Call->getArg(0)}, {tensorOf(*Copy.Call)}};
  }
  const Indexing Index = indexing(S);
  return Index ? ofIndex(Index, At) : MovedTensors();
}

}  // namespace graphgen::check
