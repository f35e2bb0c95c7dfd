// SPDX-License-Identifier: Apache-2.0
//
// Losses that read lengths or the number of targets on the host, by what they are given.
#include "check/code/TensorCalls.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using annotation::DType;
using flow::ValueRef;

bool isZero(const clang::Expr* Given, ValueRef Known, const clang::ASTContext& Context) {
  clang::Expr::EvalResult Constant;
  const bool IsFloat = Given && Given->getType()->isFloatingType() && Given->EvaluateAsRValue(Constant, Context) && Constant.Val.isFloat();
  return !Given || (Known && Known->Number == 0) || (IsFloat && Constant.Val.getFloat().isZero());
}

/// cuDNN's form, whose lengths stay on the device while a graph is captured.
bool isOfCudnn(const Occurrence& At) {
  const auto& Given = At.Its.Arguments;
  const auto IsOf32 = [](ValueRef Each) { return Each && Each->Type == DType::I32; };
  return Given.size() >= 4 && Given[0] && Given[0]->Type == DType::F32 && Given[0]->Dimensions == 3U && Given[1] &&
         Given[1]->Dimensions == 1U && llvm::all_of(llvm::ArrayRef(Given).slice(1, 3), IsOf32);
}

void judgeLengths(const Occurrence& At) {
  if (At.Its.Expressions.size() < 4 || !isTensor(At.Its.Expressions[2]->getType()) || isOfKnownValues(At)) {
    return;
  }
  const bool IsZero = isZero(At.expression("blank"), At.argument("blank"), At.Its.Function->getASTContext());
  if (!isOfCudnn(At) || !IsZero) {
    At.report("'ctc_loss' reads a tensor's value on the host, which a graph cannot do");
  }
}

/// Where labels are smoothed and classes weighed, the mean is over the weights of the targets that count, which are selected.
void judgeWeights(const Occurrence& At) {
  const ValueRef Weight = At.argument("weight"), Reduction = At.argument("reduction"), Target = At.argument("target");
  const bool HasWeight = Weight && (Weight->Made || Weight->MayBeOther || !Weight->Targets.empty());
  const bool IsMean = !Reduction || Reduction->Number == 1;
  if (!HasWeight || !IsMean || isZero(At.expression("label_smoothing"), nullptr, At.Its.Function->getASTContext())) {
    return;
  }
  if (isOfIntegers(Target) || isOfMask(Target)) {
    At.report("'cross_entropy_loss' reads a tensor's value on the host, which a graph cannot do");
  } else if (!Target || !Target->Type) {
    At.suspect("'cross_entropy_loss' may read a tensor's value on the host, which a graph cannot do");
  }
}

void judgeHostLoss(const Occurrence& At) {
  const std::string Name = At.Its.Function ? At.Its.Function->getQualifiedNameAsString() : "";
  if (Name == "at::ctc_loss" || Name == "torch::nn::functional::ctc_loss") {
    judgeLengths(At);
  } else if (Name == "at::cross_entropy_loss") {
    judgeWeights(At);
  }
}

}  // namespace

const Rule rules::HostLoss{.OnCall = judgeHostLoss};

}  // namespace graphgen::check
