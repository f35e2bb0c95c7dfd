// SPDX-License-Identifier: Apache-2.0
//
// Follows the type and the annotation downwards together.
#include "plan/Flatten.h"

#include "annotation/Printer.h"
#include "plan/Parts.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Expr;
using annotation::Spec;
using annotation::Type;
using annotation::TypeKind;

/// What stands in a table: a name for messages, and one for code.
struct Place {
  std::string Path;
  std::string Stem;

  Place member(const std::string& Name) const { return {Path + '.' + Name, Stem + '_' + Name}; }
  Place position(std::size_t Index) const { return {element(Index).Path, Stem + '_' + std::to_string(Index)}; }
  Place element(std::size_t Index) const { return {Path + '[' + std::to_string(Index) + ']', Stem}; }
};

class Flattener {
 public:
  Flattener(const annotation::Constants& Known, Samples& Rows) : Known(Known), Rows(Rows) {}

  void flatten(const Place& At, const Type& T, const Spec& Given) {
    const Spec& Value = annotation::withoutBraces(Given, T);
    switch (T.Kind) {
      case TypeKind::Tensor:
      case TypeKind::TensorLvalue:
        return addTensor(At, Value);
      case TypeKind::Optional:
        if (!annotation::isFlat(T)) {
          Rows.Lists.push_back({At.Path, 1});
        }
        return flatten(At, T.Members.front().Type, Value);
      case TypeKind::Struct:
        for (const annotation::Member& Each : T.Members) {
          flatten(At.member(Each.Name), Each.Type, memberOf(Value, Each.Name));
        }
        return;
      case TypeKind::Tuple:
        for (const auto& [Index, Member, Field] : enumerate(T.Members, Value.Fields)) {
          flatten(At.position(Index), Member.Type, Field.Value);
        }
        return;
      case TypeKind::Map:
        Rows.Lists.push_back({At.Path, static_cast<int64_t>(Value.Fields.size())});
        for (const annotation::Field& Each : sortedKeys(Value)) {
          flatten(At.member(Each.Name), T.Members.front().Type, Each.Value);
        }
        return;
      case TypeKind::Vector:
      case TypeKind::ArrayRef:
      case TypeKind::List:
      case TypeKind::Array:
        return flattenList(At, T, Value);
      default:
        return;  // a scalar
    }
  }

 private:
  void flattenList(const Place& At, const Type& T, const Spec& Value) {
    const int64_t Count = std::get<int64_t>(annotation::evaluateCount(*Value.Repeat, Known));
    if (annotation::isList(T.Kind)) {
      Rows.Lists.push_back({At.Path, Count});
    }
    const Spec Element = elementOf(Value);
    for (int64_t I = 0; I < Count; ++I) {
      flatten(At.element(static_cast<std::size_t>(I)), T.Members.front().Type, Element);
    }
  }

  void addTensor(const Place& At, const Spec& Value) {
    Tensor New;
    New.Name = At.Path;
    New.Type = Value.Type;
    for (const auto& [Index, Dim] : enumerate(Value.Dims)) {
      New.Shape.push_back(annotation::print(annotation::fold(Dim, Known)));
      addPadding(Dim, Index);
    }
    New.Stem = At.Stem;
    while (any_of(Rows.Tensors, [&](const Tensor& Other) { return Other.Stem == New.Stem && Other.Shape != New.Shape; })) {
      New.Stem += '_';
    }
    for (const annotation::FlagUse& Use : Value.Flags) {
      New.Flags.insert(Use.Value);
    }
    Rows.Tensors.push_back(std::move(New));
  }

  /// Of the tensor that comes next.
  void addPadding(const Expr& Dim, std::size_t Index) {
    std::size_t Padded = 0;
    for (const DimVariable& Each : Rows.Variables) {
      if (Each.Pad && Dim.Op == Expr::Kind::Name && Dim.Name == Each.Name) {
        Rows.PaddedDims.push_back({Rows.Tensors.size(), Index, Padded});
      }
      Padded += Each.Pad ? 1 : 0;
    }
  }

  const annotation::Constants& Known;
  Samples& Rows;
};

}  // namespace

void flatten(const annotation::Parameter& Declared, const Spec& Spec, const annotation::Constants& Known, Samples& Rows) {
  Flattener(Known, Rows).flatten({Declared.Name, Declared.Name}, Declared.Type, Spec);
}

}  // namespace graphgen::plan
