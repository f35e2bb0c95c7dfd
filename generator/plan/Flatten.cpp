// SPDX-License-Identifier: Apache-2.0
//
// Repeats what the tree has once for all elements of a list.
#include "plan/Flatten.h"

#include "annotation/FlagRules.h"
#include "annotation/Printer.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Bound;
using annotation::Expr;
using annotation::Spec;
using annotation::TypeKind;

/// What is in a table: a name for messages, and one for code.
struct Place {
  std::string Path;
  std::string Stem;

  Place member(const std::string& Name) const { return {Path + '.' + Name, Stem + '_' + Name}; }
  Place position(std::size_t Index) const { return {element(Index).Path, Stem + '_' + std::to_string(Index)}; }
  Place element(std::size_t Index) const { return {Path + '[' + std::to_string(Index) + ']', Stem}; }
};

class Flattener {
 public:
  Flattener(Samples& Rows, std::size_t& LiveScalars) : Rows(Rows), LiveScalars(LiveScalars) {}

  Part flatten(const Place& At, const Bound& B) {
    const std::size_t Before = Rows.Tensors.size();
    Part Result;
    Result.Name = B.Name;
    Result.Type = B.Kind;
    addTo(Result, At, B);
    Result.TensorCount = Rows.Tensors.size() - Before;
    return Result;
  }

 private:
  void addTo(Part& Whole, const Place& At, const Bound& B) {
    switch (B.Kind) {
      case TypeKind::Tensor:
      case TypeKind::TensorLvalue:
        Whole.IsOut = annotation::isSaid(B, annotation::UnseenKind::Out);
        Whole.IsOnHost = annotation::findFlag(*B.Said, annotation::Flag::Host) != nullptr;
        return Whole.IsOut ? void() : addTensor(At, *B.Said);
      case TypeKind::Optional:
        if (!annotation::isFlat(B)) {
          Rows.Lists.push_back({At.Path, 1});
        }
        Whole.Parts.push_back(flatten(At, B.Parts.front()));
        return;
      case TypeKind::Map:
        Rows.Lists.push_back({At.Path, static_cast<int64_t>(B.Parts.size())});
        [[fallthrough]];
      case TypeKind::Struct:
        for (const Bound& Each : B.Parts) {
          Whole.Parts.push_back(flatten(At.member(Each.Name), Each));
        }
        return;
      case TypeKind::Tuple:
        for (const auto& [Index, Each] : enumerate(B.Parts)) {
          Whole.Parts.push_back(flatten(At.position(Index), Each));
        }
        return;
      case TypeKind::Vector:
      case TypeKind::ArrayRef:
      case TypeKind::List:
        Rows.Lists.push_back({At.Path, *annotation::countOf(B, Rows.Lengths)});
        [[fallthrough]];
      case TypeKind::Array:
        return addElements(Whole, At, B);
      case TypeKind::Module:
      case TypeKind::Object:
      case TypeKind::Ignored:
        return;
      default:
        Whole.Scalar = B.Said->Scalar;
        Whole.LiveIndex = B.Said->Scalar == annotation::ScalarKind::Live ? LiveScalars++ : 0;
    }
  }

  /// Those of a list have the same parts; an array's may hold scalars, each of its own.
  void addElements(Part& Whole, const Place& At, const Bound& B) {
    const auto Count = static_cast<std::size_t>(*annotation::countOf(B, Rows.Lengths));
    if (Count == 0) {
      return addNoElement(Whole, At, B.Parts.front());
    }
    for (std::size_t I = 0; I < Count; ++I) {
      Part Element = flatten(At.element(I), B.Parts[B.IsByPosition ? I : 0]);
      if (I == 0 || B.Kind == TypeKind::Array) {
        Whole.Parts.push_back(std::move(Element));
      }
    }
  }

  /// The parts of an element, of which there is none.
  void addNoElement(Part& Whole, const Place& At, const Bound& Element) {
    Samples NoRows;
    NoRows.Lengths = Rows.Lengths;
    Whole.Parts.push_back(Flattener(NoRows, LiveScalars).flatten(At.element(0), Element));
  }

  void addTensor(const Place& At, const Spec& Value) {
    Tensor New;
    New.Name = At.Path;
    New.Type = Value.Type;
    for (const auto& [Index, Dim] : enumerate(Value.Dims)) {
      New.Shape.push_back(annotation::print(annotation::fold(Dim, Rows.Lengths)));
      addPadding(Dim, Index);
      if (annotation::isOpen(Dim, Rows.Variables)) {
        Rows.OpenDims.push_back({Rows.Tensors.size(), Index});
      }
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

  Samples& Rows;
  std::size_t& LiveScalars;
};

}  // namespace

Part flatten(const Bound& Argument, Samples& Rows, std::size_t& LiveScalars) {
  return Flattener(Rows, LiveScalars).flatten({Argument.Name, Argument.Name}, Argument);
}

OpenDim placeOf(const Samples& Set, const DimVariable& Open) {
  return *find_if(Set.OpenDims, [&](const OpenDim& Each) {
    const Tensor& Of = Set.Tensors[Each.Tensor];
    return Of.Shape[Each.Dim] == Open.Name && Of.Flags.count(annotation::Flag::Optional) == 0;
  });
}

Part partsOf(const annotation::Type& Result) {
  Part Whole;
  Whole.Type = Result.Kind;
  for (const annotation::Member& Each : Result.Members) {
    Whole.Parts.push_back(partsOf(Each.Type));
    Whole.Parts.back().Name = Each.Name;
  }
  return Whole;
}

bool isOnHost(const Part& P) { return P.IsOnHost || (P.Type == TypeKind::Optional && P.Parts.front().IsOnHost); }

bool holdsTensorsOnHost(const Part& P) { return P.IsOnHost || any_of(P.Parts, holdsTensorsOnHost); }

bool isFlat(const Part& P) {
  switch (P.Type) {
    case TypeKind::Optional:
      return P.Parts.front().Type == TypeKind::Tensor;
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
      return P.Parts.front().Type == TypeKind::Tensor && !P.Parts.front().IsOnHost;
    case TypeKind::List:
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Struct:
    case TypeKind::Tuple:
    case TypeKind::UniquePointer:
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

}  // namespace graphgen::plan
