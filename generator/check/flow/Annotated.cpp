// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Annotated.h"

#include "annotation/Evaluate.h"
#include "check/Annotations.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {

using annotation::Bound;

namespace {

using Nodes = llvm::SmallVector<const Bound*, 2>;

void addNamed(const Bound& Whole, llvm::StringRef Name, Nodes& Found) {
  for (const Bound& Each : Whole.Parts) {
    if (Each.Name == Name || (Whole.Kind == annotation::TypeKind::Map && Each.Name.empty())) {
      Found.push_back(&Each);
    }
  }
}

void addAt(const Bound& Whole, int64_t Index, Nodes& Found) {
  if (Index >= 0 && static_cast<size_t>(Index) < Whole.Parts.size()) {
    Found.push_back(&Whole.Parts[Index]);
  }
}

/// What `Last` leads to from `Whole`. What holds a tensor stands for what is in it.
void addPart(const Bound& Whole, const Step& Last, Nodes& Found) {
  const bool IsList = annotation::isList(Whole.Kind) || Whole.Kind == annotation::TypeKind::Array;
  const bool IsField = Last.What == Step::Kind::Field;
  if (Whole.Parts.empty()) {
    Found.push_back(&Whole);
  } else if ((IsList && !Whole.IsByPosition) || (Whole.Kind == annotation::TypeKind::Optional && Last.What == Step::Kind::Pointee)) {
    Found.push_back(&Whole.Parts.front());
  } else if (Whole.Kind == annotation::TypeKind::Optional) {
    addPart(Whole.Parts.front(), Last, Found);
  } else if (Last.What == Step::Kind::AnyElement) {
    llvm::append_range(Found, llvm::make_pointer_range(Whole.Parts));
  } else if (Whole.Kind == annotation::TypeKind::Map && Last.What == Step::Kind::Element) {
    addNamed(Whole, Last.Key, Found);
  } else if (IsField && Whole.Kind != annotation::TypeKind::Tuple) {
    addNamed(Whole, Last.Member->getName(), Found);
  } else if (IsField || Last.What == Step::Kind::Element) {
    addAt(Whole, IsField ? Last.Member->getFieldIndex() : Last.Index, Found);  // a pair has fields
  }
}

Nodes nodesOf(const scan::ScannedCallable& Scanned, Path Of) {
  Nodes Found;
  if (!Of->parent()) {
    if (const Bound* Whole = argumentOf(Scanned, *Of->declared())) {
      Found.push_back(Whole);
    }
    return Found;
  }
  for (const Bound* Whole : nodesOf(Scanned, Of->parent())) {
    addPart(*Whole, Of->last(), Found);
  }
  return Found;
}

}  // namespace

std::vector<const Bound*> boundsOf(const scan::ScannedCallable& Scanned, Path Of) {
  std::vector<const Bound*> Said;
  llvm::copy_if(nodesOf(Scanned, Of), std::back_inserter(Said), [](const Bound* Each) { return Each->Said.has_value(); });
  return Said;
}

const Bound* boundOf(const scan::ScannedCallable& Scanned, Path Of) {
  const std::vector<const Bound*> Found = boundsOf(Scanned, Of);
  return Found.size() == 1 ? Found.front() : nullptr;
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
