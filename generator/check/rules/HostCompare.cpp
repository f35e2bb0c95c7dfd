// SPDX-License-Identifier: Apache-2.0
//
// Attention asks torch::equal whether its query, key and value are one tensor. CUDA answers without a look at the values where they are
// one, or have other sizes: so no encoder is reported, whose attention is to itself.
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using flow::ValueRef;

enum class Answer { No, Perhaps, Yes };

/// One value, or what one variable holds.
bool areOne(const flow::Fact& Its, size_t Left, size_t Right) {
  const ValueRef A = Its.Arguments[Left], B = Its.Arguments[Right];
  const auto* Of = llvm::dyn_cast<clang::DeclRefExpr>(Its.Expressions[Left]->IgnoreParenImpCasts());
  const auto* Other = llvm::dyn_cast<clang::DeclRefExpr>(Its.Expressions[Right]->IgnoreParenImpCasts());
  return (Of && Other && Of->getDecl() == Other->getDecl()) ||
         (A && A == B && !A->MayBeOther && (A->target() || (A->Made && A->Targets.empty())));
}

Answer haveSameSizes(ValueRef A, ValueRef B, AnnotationsOfOne Annotations) {
  const auto OfA = sizesOf(A, Annotations), OfB = sizesOf(B, Annotations);
  if (OfA.empty() || OfA.size() != OfB.size()) {
    return Answer::Perhaps;
  }
  const auto Same = llvm::count_if(llvm::zip_equal(OfA, OfB), [](const auto& Each) { return std::get<0>(Each) == std::get<1>(Each); });
  return Same == 0 ? Answer::No : static_cast<size_t>(Same) == OfA.size() ? Answer::Yes : Answer::Perhaps;
}

std::optional<int64_t> numberOf(const Occurrence& At, llvm::StringRef Option) {
  const flow::Setting* Its = flow::settingOf(At.Its.Settings, Option);
  clang::Expr::EvalResult Known;
  const bool IsKnown = Its && !Its->Given->isValueDependent() && Its->Given->EvaluateAsInt(Known, At.Its.Function->getASTContext());
  return IsKnown ? std::optional(Known.Val.getInt().getExtValue()) : std::nullopt;
}

/// With projections of their own, keys and values are not compared.
bool projectsApart(const Occurrence& At) {
  const auto Features = numberOf(At, "embed_dim"), OfKeys = numberOf(At, "kdim"), OfValues = numberOf(At, "vdim");
  return flow::isSet(At.Its.Settings, "use_separate_proj_weight", At.Its.Function->getASTContext()) ||
         (Features && ((OfKeys && *OfKeys != *Features) || (OfValues && *OfValues != *Features)));
}

/// Query and key come first; then key and value, whose sizes are the same.
Answer looksAtValues(const Occurrence& At) {
  const std::vector<ValueRef>& Given = At.Its.Arguments;
  const bool IsOfThree = At.argument("value") != nullptr;
  if (IsOfThree && !areOne(At.Its, 1, 2)) {
    return Answer::Yes;
  }
  return IsOfThree && areOne(At.Its, 0, 1) ? Answer::No : haveSameSizes(Given[0], Given[1], At.Annotations);
}

void judgeAttention(const Occurrence& At) {
  if (!At.Its.Function || !isOf(At.Its, Trait::ComparesInputs) || At.Its.Arguments.size() < 2 || projectsApart(At)) {
    return;
  }
  const Answer Looks = looksAtValues(At);
  const std::string Name = nameOfModuleOr(*At.Its.Function);
  const std::string Of = "'torch::nn::" + std::string(llvm::isa<clang::CXXMethodDecl>(At.Its.Function) ? "" : "functional::") + Name;
  if (Looks == Answer::Yes) {
    At.report(Of + "' compares query, key and value on the host, which a graph cannot do");
  } else if (Looks == Answer::Perhaps) {
    At.suspect(Of + "' may compare query, key and value on the host, which a graph cannot do");
  }
}

}  // namespace

const Rule rules::HostCompare{.OnCall = judgeAttention};

}  // namespace graphgen::check
