// SPDX-License-Identifier: Apache-2.0
//
// Compares samples by what the runtime's guards look at: dtypes, shapes, lengths, and the flags that change what fits.
#include "plan/Reachability.h"

#include "annotation/FlagRules.h"
#include "annotation/Variables.h"
#include "annotation/Words.h"
#include "plan/Parts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <array>

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Constants;
using annotation::Flag;
using annotation::Spec;
using annotation::Type;
using annotation::TypeKind;

/// What the guards ask of a call.
struct Requirements {
  std::string Shapes;  // dtypes, shapes, gradients and strides of all tensors, lengths of all lists
  std::vector<bool> MayBeAbsent;
  std::vector<bool> MustBeNoLeaf;
  std::vector<std::array<std::size_t, 3>> Padding;  // tensor, dimension, variable
};

class Reader {
 public:
  Reader(const annotation::Callable& Declared, const Constants& Known) : Known(Known) {
    for (const annotation::DimVariable& Each : Declared.Spec.Variables) {
      if (Each.Pad) {
        Padded.try_emplace(Each.Name, Padded.size());
      }
    }
    for (const annotation::Parameter& Each : Declared.Parameters) {
      const auto Argument = find_if(Declared.Spec.Arguments, [&](const auto& Given) { return Given.Name == Each.Name; });
      read(Each.Type, Argument->Value);
    }
  }

  Requirements take() { return std::move(Result); }

 private:
  void read(const Type& T, const Spec& Given) {
    const Spec& Value = annotation::withoutBraces(Given, T);
    switch (T.Kind) {
      case TypeKind::Tensor:
      case TypeKind::TensorLvalue:
        return readTensor(Value);
      case TypeKind::Optional:
        return read(T.Members.front().Type, Value);
      case TypeKind::Struct:
        for (const annotation::Member& Each : T.Members) {
          read(Each.Type, memberOf(Value, Each.Name));
        }
        return;
      case TypeKind::Tuple:
        for (const auto& [Member, Field] : zip_equal(T.Members, Value.Fields)) {
          read(Member.Type, Field.Value);
        }
        return;
      case TypeKind::Map:
        for (const annotation::Field& Each : sortedKeys(Value)) {
          read(T.Members.front().Type, Each.Value);
        }
        return;
      case TypeKind::Vector:
      case TypeKind::ArrayRef:
      case TypeKind::List:
      case TypeKind::Array:
        Result.Shapes += std::to_string(std::get<int64_t>(annotation::evaluateCount(*Value.Repeat, Known))) + '*';
        return read(T.Members.front().Type, elementOf(Value));
      default:
        return;  // a scalar
    }
  }

  void readTensor(const Spec& Value) {
    const bool Grad = annotation::findFlag(Value, Flag::Grad);
    Result.Shapes += annotation::spelling(Value.Type).str() + (Grad ? " grad" : "");
    Result.Shapes += annotation::findFlag(Value, Flag::ChannelsLast) ? " channels_last[" : "[";
    for (const auto& [Index, Dim] : enumerate(Value.Dims)) {
      Result.Shapes += std::to_string(std::get<int64_t>(annotation::evaluateDim(Dim, Known))) + ',';
      const auto Variable = Padded.find(Dim.Name);
      if (Dim.Op == annotation::Expr::Kind::Name && Variable != Padded.end()) {
        Result.Padding.push_back({Result.MayBeAbsent.size(), Index, Variable->second});
      }
    }
    Result.Shapes += ']';
    Result.MayBeAbsent.push_back(annotation::findFlag(Value, Flag::Optional));
    Result.MustBeNoLeaf.push_back(Grad && annotation::findFlag(Value, Flag::Inplace));
  }

  const Constants& Known;
  StringMap<std::size_t> Padded;
  Requirements Result;
};

/// Every call that `Later` fits, of the same shapes, `Earlier` fits as well.
bool isServedBy(const Requirements& Later, const Requirements& Earlier) {
  const auto Implies = [](bool Left, bool Right) { return !Left || Right; };
  return std::equal(Later.MayBeAbsent.begin(), Later.MayBeAbsent.end(), Earlier.MayBeAbsent.begin(), Implies) &&
         std::equal(Earlier.MustBeNoLeaf.begin(), Earlier.MustBeNoLeaf.end(), Later.MustBeNoLeaf.begin(), Implies) &&
         (Later.Padding.empty() || Later.Padding == Earlier.Padding);
}

class Checker {
 public:
  Checker(ArrayRef<annotation::Callable> Callables, std::vector<Problem>& Problems) : Callables(Callables), Problems(Problems) {}

  /// One problem of an annotation is enough.
  void check(std::size_t Index) {
    for (const Constants& Size : annotation::combinations(Callables[Index].Spec, Callables[Index].Constants)) {
      Sample New{Index, place(Index, Size), Reader(Callables[Index], Size).take()};
      std::vector<Sample>& Alike = Known[New.Needs.Shapes];
      const auto Earlier = find_if(Alike, [&](const Sample& Each) { return isServedBy(New.Needs, Each.Needs); });
      if (Earlier != Alike.end()) {
        return report(New, Size, *Earlier);
      }
      Alike.push_back(std::move(New));
    }
  }

 private:
  struct Sample {
    std::size_t Index = 0;
    std::string Place;  // " where B is 1 and T is 8"
    Requirements Needs;
  };

  std::string place(std::size_t Index, const Constants& Size) const {
    std::string Result;
    for (const annotation::DimVariable& Each : Callables[Index].Spec.Variables) {
      Result += (Result.empty() ? " where " : " and ") + Each.Name + " is " + std::to_string(Size.at(Each.Name));
    }
    return Result;
  }

  /// Of a single variable's value; else the whole annotation.
  annotation::TextRange range(std::size_t Index, const Constants& Size) const {
    const std::vector<annotation::DimVariable>& Variables = Callables[Index].Spec.Variables;
    if (Variables.size() != 1) {
      return {};
    }
    return find_if(Variables[0].Values,
                   [&](const annotation::Expr& Value) {
                     return std::get<int64_t>(annotation::evaluateDim(Value, Callables[Index].Constants)) == Size.at(Variables[0].Name);
                   })
        ->Range;
  }

  void report(const Sample& New, const Constants& Size, const Sample& Earlier) {
    const std::string Message = "no call of '" + Callables[New.Index].QualifiedName + "' can choose this annotation" + New.Place +
                                ": the first that fits is taken, and an earlier one has the same shapes";
    Problems.push_back({New.Index,
                        {"graphed-repeated", range(New.Index, Size), Message, {}},
                        Problem::Note{Earlier.Index, {}, "the earlier one is here" + (Earlier.Place.empty() ? "" : ',' + Earlier.Place)}});
  }

  ArrayRef<annotation::Callable> Callables;
  std::vector<Problem>& Problems;
  StringMap<std::vector<Sample>> Known;
};

}  // namespace

void checkReachability(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group, std::vector<Problem>& Problems) {
  Checker Check(Callables, Problems);
  for (const std::size_t Index : Group) {
    Check.check(Index);
  }
}

}  // namespace graphgen::plan
