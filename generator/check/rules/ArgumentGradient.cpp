// SPDX-License-Identifier: Apache-2.0
//
// A backward inside of a step that comes to an argument marked `grad`, and would give the static input a `.grad`.
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

namespace graphgen::check {
namespace {

bool isBackward(const Occurrence& At) {
  return At.Its.Object && At.Its.Function && At.Its.Function->getQualifiedNameAsString() == "at::Tensor::backward";
}

void judgeBackward(const Occurrence& At) {
  if (!areOfStep(At.Annotations) || !isBackward(At) || At.expression("inputs")) {
    return;
  }
  const flow::ValueRef Loss = At.Its.Object;
  for (const flow::Path Each : Loss ? llvm::ArrayRef<flow::Path>(Loss->Differentiable) : llvm::ArrayRef<flow::Path>()) {
    At.report("'backward' gives " + wordsOf(*Each) + " a '.grad', which a graph cannot give to the caller's tensor");
  }
}

}  // namespace

const Rule rules::ArgumentGradient{.OnCall = judgeBackward};

}  // namespace graphgen::check
