// SPDX-License-Identifier: Apache-2.0
//
// Compares samples by what the runtime's guards look at: dtypes, shapes, lengths, and the flags that change what matches.
#include "plan/Reachability.h"

#include "annotation/Words.h"
#include "plan/Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Flag;

/// What the guards ask of a call.
struct Requirements {
  std::string Shapes;  // dtypes, shapes, gradients and strides of all tensors, lengths of all lists
  std::vector<bool> MayBeAbsent;
  std::vector<bool> MustBeNoLeaf;
  const std::vector<PaddedDim>* Padding;

  Requirements(const Samples& Set, const Size& At) : Padding(&Set.PaddedDims) {
    for (const List& Each : Set.Lists) {
      Shapes += Each.Name + '*' + std::to_string(Each.Count) + ' ';
    }
    for (const Tensor& Each : Set.Tensors) {
      const auto Has = [&](Flag Wanted) { return Each.Flags.count(Wanted) != 0; };
      Shapes +=
          typeAndShape(Set, Each, At) + (Has(Flag::Grad) ? " grad" : "") + (Has(Flag::Static) && Has(Flag::ChannelsLast) ? " last" : "");
      MayBeAbsent.push_back(Has(Flag::Optional));
      MustBeNoLeaf.push_back(Has(Flag::Grad) && Has(Flag::Inplace));
    }
  }
};

/// Every call that `Later` matches, of the same shapes, `Earlier` matches as well.
bool isServedBy(const Requirements& Later, const Requirements& Earlier) {
  const auto Implies = [](bool Left, bool Right) { return !Left || Right; };
  return std::equal(Later.MayBeAbsent.begin(), Later.MayBeAbsent.end(), Earlier.MayBeAbsent.begin(), Implies) &&
         std::equal(Earlier.MustBeNoLeaf.begin(), Earlier.MustBeNoLeaf.end(), Later.MustBeNoLeaf.begin(), Implies) &&
         (Later.Padding->empty() || *Later.Padding == *Earlier.Padding);
}

/// " where B is 1 and N is 2"; empty without variables.
std::string placeOf(const Samples& Set, const Size& At) {
  std::string Result;
  for (const Size& Values : {At, Set.Lengths}) {
    for (const auto& [Name, Value] : Values) {
      Result += (Result.empty() ? " where " : " and ") + Name + " is " + std::to_string(Value);
    }
  }
  return Result;
}

/// Of a single variable's known value; else the whole annotation.
annotation::TextRange range(const Samples& Set, const Size& At) {
  if (Set.Variables.size() != 1 || Set.Variables.front().isOpen() || !Set.Lengths.empty()) {
    return {};
  }
  const DimVariable& Variable = Set.Variables.front();
  return Variable.Ranges[static_cast<std::size_t>(find(Variable.Values, At.at(Variable.Name)) - Variable.Values.begin())];
}

class Checker {
 public:
  Checker(const Callable& Planned, std::vector<Problem>& Problems) : Planned(Planned), Problems(Problems) {}

  /// One problem of an annotation is enough.
  void check(const Samples& Set, std::size_t Index) {
    for (const Size& At : sizesOf(Set)) {
      Sample New{Index, placeOf(Set, At), Requirements(Set, At)};
      std::vector<Sample>& Alike = Known[New.Needs.Shapes];
      const auto Earlier = find_if(Alike, [&](const Sample& Each) { return isServedBy(New.Needs, Each.Needs); });
      if (Earlier != Alike.end()) {
        return report(New, range(Set, At), *Earlier);
      }
      Alike.push_back(std::move(New));
    }
  }

 private:
  struct Sample {
    std::size_t Index;  // of its annotation
    std::string Place;
    Requirements Needs;
  };

  void report(const Sample& New, annotation::TextRange Range, const Sample& Earlier) {
    const std::string Message = "no call of '" + Planned.QualifiedName + "' can choose this annotation" + New.Place +
                                ": the first that matches is taken, and an earlier one has the same shapes";
    Problems.push_back({New.Index,
                        {"graphed-repeated", Range, Message, {}},
                        Problem::Note{Earlier.Index, {}, "the earlier one is here" + (Earlier.Place.empty() ? "" : ',' + Earlier.Place)}});
  }

  const Callable& Planned;
  std::vector<Problem>& Problems;
  StringMap<std::vector<Sample>> Known;
};

}  // namespace

void checkReachability(const Callable& Planned, ArrayRef<std::size_t> Group, std::vector<Problem>& Problems) {
  Checker Check(Planned, Problems);
  for (const Samples& Set : Planned.SampleSets) {
    Check.check(Set, Group[Set.Annotation]);
  }
}

}  // namespace graphgen::plan
