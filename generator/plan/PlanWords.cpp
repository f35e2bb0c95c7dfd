// SPDX-License-Identifier: Apache-2.0
//
// A word for each value.
#include "plan/PlanWords.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace graphgen::plan {

using annotation::CallableKind;
using annotation::TypeKind;

StringRef wordFor(CallableKind Kind) {
  switch (Kind) {
    case CallableKind::Function:
      return "function";
    case CallableKind::StaticMethod:
      return "static method";
    case CallableKind::Method:
      return "method";
  }
  llvm_unreachable("a kind of callable without a name");
}

std::string wordFor(const Part& Part) {
  if (Part.IsOut) {
    return "out tensor";
  }
  switch (Part.Type) {
    case TypeKind::Void:
      return "void";
    case TypeKind::Tensor:
      return "tensor";
    case TypeKind::TensorLvalue:
      return "tensor lvalue";
    case TypeKind::Optional:
      return "optional " + wordFor(Part.Parts.front());
    case TypeKind::Vector:
      return "vector of " + wordFor(Part.Parts.front()) + "s";
    case TypeKind::ArrayRef:
      return "reference to " + wordFor(Part.Parts.front()) + "s";
    case TypeKind::List:
      return "list of " + wordFor(Part.Parts.front()) + "s";
    case TypeKind::Array:
      return "array of " + wordFor(Part.Parts.front()) + "s";
    case TypeKind::Map:
      return "map to " + wordFor(Part.Parts.front()) + "s";
    case TypeKind::Struct:
      return "struct";
    case TypeKind::Tuple:
      return "tuple";
    case TypeKind::Bool:
      return "bool";
    case TypeKind::Integer:
      return "integer";
    case TypeKind::FloatingPoint:
      return "floating point";
    case TypeKind::Enum:
      return "enum";
    case TypeKind::String:
      return "string";
    case TypeKind::Device:
      return "device";
    case TypeKind::AnyNumber:
      return "number of any type";
    case TypeKind::ValueList:
      return "list of values";
    case TypeKind::OptionalValue:
      return "optional value";
    case TypeKind::LiveScalar:
      return "live scalar";
    case TypeKind::Module:
      return "module";
    case TypeKind::Object:
      return "object";
    case TypeKind::Ignored:
      return "ignored";
    case TypeKind::UniquePointer:
      return "pointer to " + wordFor(Part.Parts.front());
    case TypeKind::Unsupported:
      return "unsupported";
  }
  llvm_unreachable("a type without a name");
}

StringRef wordFor(OutputPolicy Policy) {
  switch (Policy) {
    case OutputPolicy::Keep:
      return "keep";
    case OutputPolicy::Alias:
      return "alias";
    case OutputPolicy::Clone:
      return "clone";
    case OutputPolicy::Host:
      return "host";
  }
  llvm_unreachable("an output policy without a name");
}

}  // namespace graphgen::plan
