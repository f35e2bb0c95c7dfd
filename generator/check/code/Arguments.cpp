// SPDX-License-Identifier: Apache-2.0
//
// Arguments are matched to parameters by name.
#include "check/code/Arguments.h"

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

static std::string exampleMembers(llvm::ArrayRef<annotation::Member> Members) {
  std::string Result;
  for (const annotation::Member& Each : Members) {
    Result += (Result.empty() ? "" : ", ") + (Each.Name.empty() ? "" : Each.Name + ": ") + exampleOf(Each.Type);
  }
  return "{" + Result + "}";
}

std::string exampleOf(const annotation::Type& T) {
  using annotation::TypeKind;
  switch (T.Kind) {
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
    case TypeKind::Unsupported:
      return "f32[64, 128]";
    case TypeKind::Optional:
      return exampleOf(T.Members.front().Type);
    case TypeKind::Struct:
    case TypeKind::Tuple:
      return exampleMembers(T.Members);
    case TypeKind::Map:
      return exampleMembers({{"obs", T.Members.front().Type}});
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
    case TypeKind::List:
    case TypeKind::Array: {
      const annotation::TypeKind Inner = T.Members.front().Type.Kind;
      const bool IsList = annotation::isList(Inner) || Inner == TypeKind::Array;
      const std::string Element = IsList ? exampleMembers(T.Members) : exampleOf(T.Members.front().Type);
      return Element + " * " + std::to_string(T.Kind == TypeKind::Array ? T.Length : 3);
    }
    default:
      return T.Kind == TypeKind::LiveScalar ? "live" : "key";
  }
}

annotation::FixIt additionOf(const annotation::Callable& Callable, llvm::StringRef Argument) {
  if (Callable.Spec.Arguments.empty()) {
    return {{}, Argument.str()};
  }
  const unsigned End = Callable.Spec.Arguments.back().Value.Range.End;
  return {{End, End}, (", " + Argument).str()};
}

}  // namespace graphgen::check
