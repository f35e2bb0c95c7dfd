// SPDX-License-Identifier: Apache-2.0
//
// Kinds of types, in groups.
#include "annotation/Type.h"

namespace graphgen::annotation {

bool isTensor(TypeKind Kind) { return Kind == TypeKind::Tensor || Kind == TypeKind::TensorLvalue; }

bool isNumber(TypeKind Kind) { return Kind == TypeKind::Bool || Kind == TypeKind::Integer || Kind == TypeKind::FloatingPoint; }

bool couldBeLive(TypeKind Kind) { return isNumber(Kind) || Kind == TypeKind::AnyNumber; }

bool isScalar(TypeKind Kind) {
  switch (Kind) {
    case TypeKind::Bool:
    case TypeKind::Integer:
    case TypeKind::FloatingPoint:
    case TypeKind::Enum:
    case TypeKind::String:
    case TypeKind::Device:
    case TypeKind::AnyNumber:
    case TypeKind::ValueList:
    case TypeKind::OptionalValue:
    case TypeKind::LiveScalar:
      return true;
    default:
      return false;
  }
}

bool isObject(TypeKind Kind) { return Kind == TypeKind::Module || Kind == TypeKind::Object; }

bool isList(TypeKind Kind) { return Kind == TypeKind::Vector || Kind == TypeKind::ArrayRef || Kind == TypeKind::List; }

}  // namespace graphgen::annotation
