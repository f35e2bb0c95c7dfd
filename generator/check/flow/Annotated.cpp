// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Annotated.h"

#include "annotation/Evaluate.h"
#include "check/Annotations.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {

using annotation::Bound;

/// What holds a tensor, or several elements of which one is meant, stands for what is in it.
static const Bound* nodeOf(const scan::ScannedCallable& Scanned, Path Of) {
  if (!Of->parent()) {
    return argumentOf(Scanned, *Of->declared());
  }
  const Bound* Whole = nodeOf(Scanned, Of->parent());
  while (Whole && Whole->Kind == annotation::TypeKind::Optional) {
    Whole = &Whole->Parts.front();
  }
  if (!Whole || Whole->Parts.empty()) {
    return Whole;
  }
  const Step& Last = Of->last();
  if (Last.What == Step::Kind::Field) {
    const auto Found = llvm::find_if(Whole->Parts, [&](const Bound& Each) { return Each.Name == Last.Member->getName(); });
    return Found == Whole->Parts.end() ? nullptr : &*Found;
  }
  const bool IsList = annotation::isList(Whole->Kind) || Whole->Kind == annotation::TypeKind::Array;
  if (IsList && !Whole->IsByPosition) {
    return &Whole->Parts.front();
  }
  if (IsList && Last.What == Step::Kind::AnyElement) {
    return Whole;
  }
  const bool IsOne = Last.What == Step::Kind::Element && Last.Index >= 0 && static_cast<size_t>(Last.Index) < Whole->Parts.size();
  return IsOne ? &Whole->Parts[Last.Index] : nullptr;
}

const Bound* boundOf(const scan::ScannedCallable& Scanned, Path Of) {
  const Bound* Found = nodeOf(Scanned, Of);
  return Found && Found->Said ? Found : nullptr;
}

std::optional<int64_t> countOf(const scan::ScannedCallable& Scanned, Path Of) {
  const Bound* Found = boundOf(Scanned, Of);
  return Found && annotation::isList(Found->Kind) ? annotation::countOf(*Found) : std::nullopt;
}

std::optional<int64_t> sizeOf(const scan::ScannedCallable& Scanned, Path Of, int64_t Dimension) {
  const Bound* Found = boundOf(Scanned, Of);
  if (!Found || Found->Said->What != annotation::Spec::Kind::Tensor) {
    return std::nullopt;
  }
  const std::vector<annotation::Expr>& Dims = Found->Said->Dims;
  const auto Count = static_cast<int64_t>(Dims.size());
  const int64_t Place = Dimension < 0 ? Dimension + Count : Dimension;
  if (Place < 0 || Place >= Count) {
    return std::nullopt;
  }
  const annotation::Evaluated<int64_t> Size = annotation::evaluateDim(Dims[Place], {});
  const int64_t* Known = std::get_if<int64_t>(&Size);
  return Known ? std::optional(*Known) : std::nullopt;
}

}  // namespace graphgen::check::flow
