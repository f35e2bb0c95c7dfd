// SPDX-License-Identifier: Apache-2.0
//
// A write at the places that an argument names, which `pad` fills up: the padding rows name places as well.
#include "check/flow/Annotated.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using annotation::PadFill;
using flow::ValueRef;

/// How an annotation fills up the argument.
std::optional<PadFill> paddingBy(const scan::ScannedCallable& Annotated, flow::Path Of) {
  const annotation::Bound* Found = flow::boundOf(Annotated, Of);
  if (!Found || Found->Said->What != annotation::Spec::Kind::Tensor) {
    return std::nullopt;
  }
  for (const annotation::Variable& Each : Annotated.Callable.Variables) {
    const auto IsBy = [&](const annotation::Expr& Dim) { return annotation::usesAny(Dim, {Each.Name}); };
    if (Each.Pad && llvm::any_of(Found->Said->Dims, IsBy)) {
      return Each.Pad;
    }
  }
  return std::nullopt;
}

struct PaddedArgument {
  flow::Path Of = nullptr;
  PadFill Fill = PadFill::Zero;
};

/// That the tensor is, or shows.
std::optional<PaddedArgument> paddedIn(ValueRef Tensor, AnnotationsOfOne Annotations) {
  for (const flow::Target& Each : Tensor ? llvm::ArrayRef<flow::Target>(Tensor->Targets) : llvm::ArrayRef<flow::Target>()) {
    for (const scan::ScannedCallable* One : Each.Of->from() == flow::Root::Argument ? Annotations : AnnotationsOfOne()) {
      if (const std::optional<PadFill> Fill = paddingBy(*One, Each.Of)) {
        return PaddedArgument{Each.Of, *Fill};
      }
    }
  }
  return std::nullopt;
}

/// What a call does at the places of an index.
struct IndexedWrite {
  std::vector<ValueRef> Places;
  ValueRef Written = nullptr;
  bool Adds = false;
  bool Reduces = false;
};

IndexedWrite writeOf(const Occurrence& At) {
  if (const TensorIndexing Index = indexingOf(At); Index.IsWrite) {
    return {Index.Tensors, Index.Written, isTrue(At.argument("accumulate")), false};
  }
  llvm::StringRef Name = At.Its.Operator->Called->Name;
  Name.consume_back("_");
  if (!llvm::is_contained({"index_add", "index_copy", "index_fill", "index_reduce", "put", "scatter", "scatter_add", "scatter_reduce"},
                          Name)) {
    return {};
  }
  const ValueRef Source = At.argument("source");
  return {{At.argument("index")},
          Source ? Source : At.argument("src"),
          Name.ends_with("_add") || isTrue(At.argument("accumulate")),
          Name.ends_with("_reduce") || At.argument("reduce") != nullptr};
}

void judgePaddedIndex(const Occurrence& At) {
  if (!At.Its.Operator || At.Annotations.empty()) {
    return;
  }
  const IndexedWrite Write = writeOf(At);
  for (const ValueRef Each : Write.Places) {
    const auto Padded = isOfMask(Each) ? std::nullopt : paddedIn(Each, At.Annotations);
    if (!Padded) {
      continue;
    }
    const std::string Places = "'" + operationOf(At.Its) + "' writes at the places in " + wordsOf(*Padded->Of) + ", which 'pad";
    const bool AddsZeros = Write.Adds && paddedIn(Write.Written, At.Annotations);
    if (Padded->Fill == PadFill::Zero && !AddsZeros) {
      At.suspect(Places +
                 "' fills up with zeros: the padding rows write to place 0; give them a place of their own, by the real size as a "
                 "'live' scalar");
    } else if (Padded->Fill == PadFill::Repeat && (Write.Adds || Write.Reduces)) {
      At.suspect(Places +
                 " repeat' fills up with the last row: it is added again for each padding row; give those a place of their own, by "
                 "the real size as a 'live' scalar");
    }
    return;
  }
}

}  // namespace

const Rule rules::PaddedIndex{.OnCall = judgePaddedIndex};

}  // namespace graphgen::check
