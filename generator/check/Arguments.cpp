// SPDX-License-Identifier: Apache-2.0
//
// Arguments are matched to parameters by name.
#include "check/Arguments.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

bool isNumber(annotation::TypeKind Kind) {
  return Kind == annotation::TypeKind::Bool || Kind == annotation::TypeKind::Integer || Kind == annotation::TypeKind::FloatingPoint;
}

const annotation::Field* argumentOf(const annotation::Callable& Callable, const annotation::Parameter& Parameter) {
  const auto Found = llvm::find_if(Callable.Spec.Arguments, [&](const annotation::Field& F) { return F.Name == Parameter.Name; });
  return Found == Callable.Spec.Arguments.end() ? nullptr : &*Found;
}

const annotation::Field* findField(const annotation::Spec& Aggregate, llvm::StringRef Name) {
  const auto Found = llvm::find_if(Aggregate.Fields, [&](const annotation::Field& F) { return F.Name == Name; });
  return Found == Aggregate.Fields.end() ? nullptr : &*Found;
}

llvm::StringRef nearestName(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Candidates) {
  llvm::StringRef Best;
  unsigned BestDistance = static_cast<unsigned>(Name.size() + 2) / 3;
  for (const llvm::StringRef Each : Candidates) {
    const unsigned Distance = Name.edit_distance(Each, /*AllowReplacements=*/true, BestDistance);
    if (Distance < BestDistance || (Distance == BestDistance && Best.empty())) {
      Best = Each;
      BestDistance = Distance;
    }
  }
  return Best;
}

annotation::FixIt additionOf(const annotation::Callable& Callable, llvm::StringRef Argument) {
  if (Callable.Spec.Arguments.empty()) {
    return {{}, Argument.str()};
  }
  const unsigned End = Callable.Spec.Arguments.back().Value.Range.End;
  return {{End, End}, (", " + Argument).str()};
}

}  // namespace graphgen::check
