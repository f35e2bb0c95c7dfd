// SPDX-License-Identifier: Apache-2.0
//
// Follows the type and the annotation downwards together.
#include "plan/Parts.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Spec;
using annotation::Type;
using annotation::TypeKind;

class PartsReader {
 public:
  PartsReader(const annotation::Constants& Known, std::size_t& LiveScalars) : Known(Known), LiveScalars(LiveScalars) {}

  Part read(const std::string& Name, const Type& T, const Spec& Given) {
    const Spec& Value = annotation::withoutBraces(Given, T);
    Part Result;
    Result.Name = Name;
    Result.Type = T.Kind;
    switch (T.Kind) {
      case TypeKind::Tensor:
      case TypeKind::TensorLvalue:
        Result.TensorCount = 1;
        return Result;
      case TypeKind::Optional:
        add(Result, "", T.Members.front().Type, Value);
        return Result;
      case TypeKind::Struct:
        for (const annotation::Member& Each : T.Members) {
          add(Result, Each.Name, Each.Type, memberOf(Value, Each.Name));
        }
        return Result;
      case TypeKind::Tuple:
        for (const auto& [Member, Field] : zip_equal(T.Members, Value.Fields)) {
          add(Result, "", Member.Type, Field.Value);
        }
        return Result;
      case TypeKind::Map:
        for (const annotation::Field& Each : sortedKeys(Value)) {
          add(Result, Each.Name, T.Members.front().Type, Each.Value);
        }
        return Result;
      case TypeKind::Vector:
      case TypeKind::ArrayRef:
      case TypeKind::List:
      case TypeKind::Array:
        readElements(Result, T, Value);
        return Result;
      default:
        Result.Scalar = Value.Scalar;
        Result.LiveIndex = Value.Scalar == annotation::ScalarKind::Live ? LiveScalars++ : 0;
        return Result;
    }
  }

 private:
  void add(Part& Whole, const std::string& Name, const Type& T, const Spec& Value) {
    Whole.Parts.push_back(read(Name, T, Value));
    Whole.TensorCount += Whole.Parts.back().TensorCount;
  }

  /// Those of a list are all alike; an array's may hold scalars, each of its own.
  void readElements(Part& Whole, const Type& T, const Spec& Value) {
    const auto Count = static_cast<std::size_t>(std::get<int64_t>(annotation::evaluateCount(*Value.Repeat, Known)));
    const std::size_t Distinct = T.Kind == TypeKind::Array ? Count : 1;
    for (std::size_t I = 0; I < Distinct; ++I) {
      add(Whole, "", T.Members.front().Type, elementOf(Value));
    }
    Whole.TensorCount *= Count / Distinct;
  }

  const annotation::Constants& Known;
  std::size_t& LiveScalars;
};

}  // namespace

std::vector<annotation::Field> sortedKeys(const Spec& Map) {
  std::vector<annotation::Field> Keys = Map.Fields;
  sort(Keys, [](const annotation::Field& Left, const annotation::Field& Right) { return Left.Name < Right.Name; });
  return Keys;
}

Spec elementOf(const Spec& List) {
  Spec Element = List;
  Element.Repeat.reset();
  return Element;
}

const Spec& memberOf(const Spec& Struct, const std::string& Name) {
  return find_if(Struct.Fields, [&](const annotation::Field& Each) { return Each.Name == Name; })->Value;
}

bool isFlat(const Part& P) {
  switch (P.Type) {
    case TypeKind::Optional:
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
      return P.Parts.front().Type == TypeKind::Tensor;
    case TypeKind::List:
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Struct:
    case TypeKind::Tuple:
      return false;
    default:
      return true;
  }
}

static void forEachScalar(const Part& P, const std::string& Path, function_ref<void(const Part&, const std::string&)> F) {
  if (P.Scalar) {
    return F(P, Path);
  }
  for (const auto& [Index, Each] : enumerate(P.Parts)) {
    forEachScalar(Each, Path + (P.Type == TypeKind::Struct ? '.' + Each.Name : '[' + std::to_string(Index) + ']'), F);
  }
}

void forEachScalar(const Part& P, function_ref<void(const Part&, const std::string&)> F) { forEachScalar(P, P.Name, F); }

bool hasScalars(const Part& P) { return P.Scalar || any_of(P.Parts, hasScalars); }

Part partsOf(const annotation::Parameter& Declared, const Spec& Spec, const annotation::Constants& Known, std::size_t& LiveScalars) {
  return PartsReader(Known, LiveScalars).read(Declared.Name, Declared.Type, Spec);
}

Part partsOf(const Type& Result) {
  Part Whole;
  Whole.Type = Result.Kind;
  for (const annotation::Member& Each : Result.Members) {
    Whole.Parts.push_back(partsOf(Each.Type));
    Whole.Parts.back().Name = Each.Name;
  }
  return Whole;
}

}  // namespace graphgen::plan
