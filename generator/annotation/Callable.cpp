// SPDX-License-Identifier: Apache-2.0
//
// Kinds of types, in groups.
#include "annotation/Callable.h"

namespace graphgen::annotation {

bool isScalar(TypeKind Kind) {
  switch (Kind) {
    case TypeKind::Bool:
    case TypeKind::Integer:
    case TypeKind::FloatingPoint:
    case TypeKind::Enum:
    case TypeKind::String:
    case TypeKind::LiveScalar:
      return true;
    default:
      return false;
  }
}

bool isList(TypeKind Kind) { return Kind == TypeKind::Vector || Kind == TypeKind::ArrayRef || Kind == TypeKind::List; }

bool isFlat(const Type& T) {
  switch (T.Kind) {
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
      return true;
    case TypeKind::Optional:
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
      return T.Members.front().Type.Kind == TypeKind::Tensor;
    default:
      return false;
  }
}

const Spec& withoutBraces(const Spec& Value, const Type& T) {
  const bool IsBraced =
      Value.What == Spec::Kind::Aggregate && !Value.Repeat && Value.Fields.size() == 1 && Value.Fields.front().Name.empty();
  return IsBraced && (isList(T.Kind) || T.Kind == TypeKind::Array) ? Value.Fields.front().Value : Value;
}

}  // namespace graphgen::annotation
