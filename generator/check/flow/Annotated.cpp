// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Annotated.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {

static const annotation::Spec* specOfWhole(const scan::ScannedCallable& Scanned, llvm::StringRef Argument) {
  const auto Found = llvm::find_if(Scanned.Callable.Spec.Arguments, [&](const annotation::Field& Each) { return Each.Name == Argument; });
  return Found == Scanned.Callable.Spec.Arguments.end() ? nullptr : &Found->Value;
}

const annotation::Spec* specOf(const scan::ScannedCallable& Scanned, Path Of) {
  if (!Of->parent()) {
    return specOfWhole(Scanned, Of->declared()->getName());
  }
  const annotation::Spec* Whole = specOf(Scanned, Of->parent());
  if (!Whole || Whole->What != annotation::Spec::Kind::Aggregate) {
    return Whole;
  }
  const Step& Last = Of->last();
  if (Last.What == Step::Kind::Field) {
    const auto Found = llvm::find_if(Whole->Fields, [&](const annotation::Field& Each) { return Each.Name == Last.Member->getName(); });
    return Found == Whole->Fields.end() ? nullptr : &Found->Value;
  }
  const bool IsOne = Last.What == Step::Kind::Element && Last.Index >= 0 && static_cast<size_t>(Last.Index) < Whole->Fields.size();
  return IsOne ? &Whole->Fields[Last.Index].Value : nullptr;
}

}  // namespace graphgen::check::flow
