// SPDX-License-Identifier: Apache-2.0
//
// Losses that read lengths or the number of targets on the host, by what they are given.
#include "check/code/Classes.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using annotation::DType;
using flow::ValueRef;

/// Of the function, or what its options say.
const clang::Expr* given(const Occurrence& At, llvm::StringRef Option) {
  const flow::Setting* Its = flow::settingOf(At.Its.Settings, Option);
  return Its ? Its->Given : At.expression(Option);
}

/// Or not given.
bool isZero(const Occurrence& At, llvm::StringRef Option) {
  const clang::Expr* Given = given(At, Option);
  clang::Expr::EvalResult Known;
  if (!Given || Given->isValueDependent() || !Given->EvaluateAsRValue(Known, At.Its.Function->getASTContext())) {
    return !Given;
  }
  return (Known.Val.isFloat() && Known.Val.getFloat().isZero()) || (Known.Val.isInt() && Known.Val.getInt() == 0);
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
  if (!isOfCudnn(At) || !isZero(At, "blank")) {
    At.report("'" + nameOfModuleOr(*At.Its.Function) + "' reads a tensor's value on the host, which a graph cannot do");
  }
}

bool hasWeight(const Occurrence& At) {
  const ValueRef Weight = At.argument("weight");
  return flow::settingOf(At.Its.Settings, "weight") || (Weight && (Weight->Made || Weight->MayBeOther || !Weight->Targets.empty()));
}

bool isMean(const Occurrence& At) {
  const clang::Expr* Reduction = given(At, "reduction");
  const auto* Name = Reduction ? llvm::dyn_cast<clang::DeclRefExpr>(Reduction->IgnoreUnlessSpelledInSource()) : nullptr;
  const ValueRef Known = At.argument("reduction");
  return !Reduction || (Known && Known->Number == 1) || (Name && Name->getDecl()->getName() == "kMean");
}

/// Where labels are smoothed and classes weighed, the mean is over the weights of the targets that count, which are selected.
void judgeWeights(const Occurrence& At) {
  const ValueRef Target = At.argument("target");
  if (!hasWeight(At) || !isMean(At) || isZero(At, "label_smoothing")) {
    return;
  }
  const std::string Name = "'" + nameOfModuleOr(*At.Its.Function) + "' ";
  if (isOfIntegers(Target) || isOfMask(Target)) {
    At.report(Name + "reads a tensor's value on the host, which a graph cannot do");
  } else if (!Target || !Target->Type) {
    At.suspect(Name + "may read a tensor's value on the host, which a graph cannot do");
  }
}

void judgeHostLoss(const Occurrence& At) {
  const std::string Name = At.Its.Function ? At.Its.Function->getQualifiedNameAsString() : "";
  if (llvm::is_contained({"at::ctc_loss", "torch::nn::functional::ctc_loss", "torch::nn::CTCLossImpl::forward"}, Name)) {
    judgeLengths(At);
  } else if (llvm::is_contained(
                 {"at::cross_entropy_loss", "torch::nn::functional::cross_entropy", "torch::nn::CrossEntropyLossImpl::forward"}, Name)) {
    judgeWeights(At);
  }
}

}  // namespace

const Rule rules::HostLoss{.OnCall = judgeHostLoss};

}  // namespace graphgen::check
