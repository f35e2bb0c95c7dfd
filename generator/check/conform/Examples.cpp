// SPDX-License-Identifier: Apache-2.0
//
// What an annotation could say.
#include "check/conform/Examples.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

using annotation::Bound;
using annotation::TypeKind;

static std::string exampleMembers(const Bound& B, llvm::StringRef NameOfKey = "") {
  std::string Result;
  for (const Bound& Each : B.Parts) {
    const llvm::StringRef Name = Each.Name.empty() ? NameOfKey : Each.Name;
    Result += (Result.empty() ? "" : ", ") + (Name.empty() ? "" : Name.str() + ": ") + exampleOf(Each);
  }
  return "{" + Result + "}";
}

std::string exampleOf(const Bound& B) {
  switch (B.Kind) {
    case TypeKind::Ignored:
      return "ignore";
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
    case TypeKind::Unsupported:
      return "f32[64, 128]";
    case TypeKind::Optional:
      return exampleOf(B.Parts.front());
    case TypeKind::Struct:
    case TypeKind::Tuple:
      return exampleMembers(B);
    case TypeKind::Map:
      return exampleMembers(B, "obs");
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
    case TypeKind::List:
    case TypeKind::Array: {
      const TypeKind Inner = B.Parts.front().Kind;
      const bool IsList = annotation::isList(Inner) || Inner == TypeKind::Array;
      return (IsList ? exampleMembers(B) : exampleOf(B.Parts.front())) + " * " + std::to_string(B.Kind == TypeKind::Array ? B.Length : 3);
    }
    default:
      return B.Kind == TypeKind::LiveScalar ? "live"
             : B.Kind == TypeKind::Module   ? "module"
             : B.Kind == TypeKind::Object   ? "object"
                                            : "key";
  }
}

}  // namespace graphgen::check
