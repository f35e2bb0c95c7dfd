// SPDX-License-Identifier: Apache-2.0
//
// A size that has not changed is found by what it takes. For others differences are weighed, so that the nearest graph is one of the same
// shapes, if there is one.
#include "plan/CompareSizes.h"

#include "plan/Sizes.h"

#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Flag;

constexpr unsigned OfShape = 100, OfGuard = 10, OfCost = 1;

struct Differences {
  unsigned Weight = 0;
  std::vector<std::string> Texts;

  void add(unsigned Weighs, const Twine& Text) {
    Weight += Weighs;
    Texts.push_back(Text.str());
  }
};

/// One size of an annotation.
struct Sample {
  const Samples& Set;
  std::vector<std::vector<int64_t>> Shapes;  // of its tensors

  Sample(const Samples& Set, const Size& At) : Set(Set) {
    for (const Tensor& Each : Set.Tensors) {
      Shapes.push_back(*shapeAt(Each, At));
    }
  }

  const DimVariable* paddedBy(const std::string& Extent) const {
    const auto Found = find_if(Set.Variables, [&](const DimVariable& Each) { return Each.Pad && Each.Name == Extent; });
    return Found == Set.Variables.end() ? nullptr : &*Found;
  }

  /// The same for two that take the same calls at the same cost.
  std::string text() const {
    std::set<std::string> Parts;
    for (const auto& [Each, Shape] : zip_equal(Set.Tensors, Shapes)) {
      std::string Part = "tensor " + Each.Name + " " + typeAndShape(Each.Type, Shape);
      for (const std::string& Extent : Each.Shape) {
        const DimVariable* Padded = paddedBy(Extent);
        Part += Padded ? " padded by " + Padded->Name : " exact";
      }
      for (const Flag Given : Each.Flags) {
        Part += " " + annotation::spelling(Given).str();
      }
      Parts.insert(std::move(Part));
    }
    for (const List& Each : Set.Lists) {
      Parts.insert("list " + Each.Name + " " + std::to_string(Each.Count));
    }
    return join(Parts, "\n");
  }
};

/// All sizes of all annotations.
std::vector<Sample> samplesOf(ArrayRef<Samples> Sets) {
  std::vector<Sample> Result;
  for (const Samples& Set : Sets) {
    for (const Size& Each : sizesOf(Set)) {
      Result.emplace_back(Set, Each);
    }
  }
  return Result;
}

/// The places of the elements of `All` by their names.
template <class T>
StringMap<std::size_t> byName(const std::vector<T>& All) {
  StringMap<std::size_t> Result;
  for (const auto& [Index, Each] : enumerate(All)) {
    Result.try_emplace(Each.Name, Index);
  }
  return Result;
}

class SampleComparison {
 public:
  SampleComparison(const Sample& Old, const Sample& New) : Old(Old), New(New) {}

  Differences run() {
    const StringMap<std::size_t> Tensors = byName(New.Set.Tensors), Lists = byName(New.Set.Lists);
    for (const auto& [Was, Shape] : zip_equal(Old.Set.Tensors, Old.Shapes)) {
      const auto Index = Tensors.find(Was.Name);
      if (Index != Tensors.end()) {
        const Tensor& Is = New.Set.Tensors[Index->second];
        compareShapes(Was, Shape, Is, New.Shapes[Index->second]);
        compareFlags(Was, Is);
      }
    }
    for (const List& Was : Old.Set.Lists) {
      const auto Index = Lists.find(Was.Name);
      if (Index != Lists.end() && New.Set.Lists[Index->second].Count != Was.Count) {
        Found.add(OfShape, "no graph takes '" + Was.Name + "' of " + Twine(Was.Count) + " elements any more");
      }
    }
    return std::move(Found);
  }

 private:
  void compareShapes(const Tensor& Was, ArrayRef<int64_t> Shape, const Tensor& Is, ArrayRef<int64_t> Now) {
    bool Fits = Was.Type == Is.Type && Shape.size() == Now.size();
    for (std::size_t I = 0; Fits && I < Shape.size(); ++I) {
      Fits = takes(Is.Shape[I], Now[I], Shape[I]);
      const DimVariable* Padded = Old.paddedBy(Was.Shape[I]);
      if (Fits && Padded && !New.paddedBy(Is.Shape[I])) {
        Found.add(OfGuard, "'" + Was.Name + "' is not padded any more: a size between the values of '" + Padded->Name + "' runs plainly");
      }
    }
    if (!Fits) {
      Found.add(OfShape, "no graph takes '" + Was.Name + "' as " + typeAndShape(Was.Type, Shape) + " any more");
    }
  }

  /// A padded variable takes what is smaller too, in each of its dimensions alike.
  bool takes(const std::string& Extent, int64_t Value, int64_t Wanted) {
    return New.paddedBy(Extent) ? Wanted <= Value && Rounded.try_emplace(Extent, Wanted).first->second == Wanted : Wanted == Value;
  }

  void compareFlags(const Tensor& Was, const Tensor& Is) {
    const auto Lost = [&](Flag Each) { return Was.Flags.count(Each) != 0 && Is.Flags.count(Each) == 0; };
    const auto Gained = [&](Flag Each) { return Was.Flags.count(Each) == 0 && Is.Flags.count(Each) != 0; };
    const std::string Name = "'" + Was.Name + "' ";
    const auto Add = [&](bool IsSo, unsigned Weighs, const Twine& Text) {
      if (IsSo) {
        Found.add(Weighs, Name + Text);
      }
    };
    Add(Lost(Flag::Grad), OfGuard, "gets no gradient any more: a call where it requires grad runs plainly");
    Add(Gained(Flag::Grad), OfGuard, "must require grad: a call where it does not runs plainly");
    const bool IsStatic = Is.Flags.count(Flag::Static) != 0;
    Add(IsStatic && Lost(Flag::ChannelsLast), OfGuard, "must be contiguous, it was channels_last");
    Add(IsStatic && Gained(Flag::ChannelsLast), OfGuard, "must be channels_last");
    Add(Lost(Flag::Optional), OfGuard, "must be there, it was optional");
    Add(Gained(Flag::Static), OfGuard, "must stay at one address: it is static");
    Add(Lost(Flag::Static), OfCost, "is copied by each call: it is not static any more");
    Add(Gained(Flag::Inplace), OfGuard, "is written: a call where it shares memory with another argument runs plainly");
  }

  const Sample& Old;
  const Sample& New;
  std::map<std::string, int64_t> Rounded;
  Differences Found;
};

}  // namespace

std::vector<std::string> lostSizes(ArrayRef<Samples> Old, ArrayRef<Samples> New) {
  const std::vector<Sample> Now = samplesOf(New);
  StringSet<> Same;
  for (const Sample& Each : Now) {
    Same.insert(Each.text());
  }
  std::vector<std::string> Lost;
  for (const Sample& Was : samplesOf(Old)) {
    if (Same.contains(Was.text())) {
      continue;
    }
    std::optional<Differences> Nearest;
    for (const Sample& Is : Now) {
      Differences Next = SampleComparison(Was, Is).run();
      if (!Nearest || Next.Weight < Nearest->Weight) {
        Nearest = std::move(Next);
      }
    }
    if (Nearest) {
      append_range(Lost, Nearest->Texts);
    }
  }
  return Lost;
}

}  // namespace graphgen::plan
