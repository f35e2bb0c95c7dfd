// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are made on the host, and a second GPU.
#include "check/code/Classes.h"
#include "check/rules/Tensors.h"

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isIts(flow::ValueRef Each, const clang::Stmt* Made) { return isOfHost(Each) && Each->Made == Made; }

/// A table of numbers, which the host reads and nothing computes with.
bool isTable(const flow::ValueRef Tensor, const flow::Summary& Body) {
  bool IsRead = false;
  for (const flow::Fact& Each : Body.Facts) {
    const bool IsUsed =
        isIts(Each.Object, Tensor->Made) || llvm::any_of(Each.Arguments, [&](flow::ValueRef One) { return isIts(One, Tensor->Made); });
    if (!IsUsed || !Each.Function) {
      continue;
    }
    const bool IsPart = Each.Operator && Each.Operator->Called->isView();
    const bool IsNumber = !isTensor(Each.Function->getReturnType());
    if ((!IsPart && !IsNumber) || Each.What == flow::Fact::Kind::Write) {
      return false;
    }
    IsRead |= IsNumber && Each.From && !Each.From->Data;
  }
  return IsRead;
}

/// Of at::Device(at::kCUDA, 1).
bool namesGpu(const flow::Fact& Its) {
  const auto* Constructor = llvm::dyn_cast_if_present<clang::CXXConstructorDecl>(Its.Function);
  return Constructor && Constructor->getParent()->getName() == "Device" && Its.From && Its.From->On == flow::Device::Gpu &&
         Its.From->Number;
}

void judgeDevice(const Occurrence& At) {
  if (namesGpu(At.Its)) {
    const auto First = llvm::find_if(At.In.Of.Facts, namesGpu);
    if (First->From->Number != At.Its.From->Number) {
      At.suspect(At.Rule, At.where(), "a second GPU: a graph holds the work of one",
                 {{First->At->getBeginLoc(), "a different device is named here"}});
    }
    return;
  }
  const flow::ValueRef Made = At.Its.From, On = At.Its.Operator ? At.argument("device") : nullptr;
  const bool IsMade = Made && Made->Made == At.Its.At && At.Its.Operator && !At.Its.Operator->Called->parameter("non_blocking");
  if (IsMade && On && On->On == flow::Device::Host && !isTable(Made, At.In.Of)) {
    At.suspect("a tensor is made on the host, whose operators a graph of a GPU leaves out: they run at the capture only");
  }
}

}  // namespace

const Rule rules::Device{.OnCall = judgeDevice};

}  // namespace graphgen::check
