// SPDX-License-Identifier: Apache-2.0
//
// Differences are weighed, so that the nearest graph is one of the same shapes, if there is one.
#include "plan/CompareSizes.h"

#include "plan/Sizes.h"

#include "llvm/ADT/STLExtras.h"
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
  Size At;

  const DimVariable* paddedBy(const std::string& Extent) const {
    const auto Found = find_if(Set.Variables, [&](const DimVariable& Each) { return Each.Pad && Each.Name == Extent; });
    return Found == Set.Variables.end() ? nullptr : &*Found;
  }
};

class Comparison {
 public:
  Comparison(const Sample& Old, const Sample& New) : Old(Old), New(New) {}

  Differences run() {
    for (const Tensor& Was : Old.Set.Tensors) {
      const auto Is = find_if(New.Set.Tensors, [&](const Tensor& Each) { return Each.Name == Was.Name; });
      if (Is != New.Set.Tensors.end()) {
        compareShapes(Was, *Is);
        compareFlags(Was, *Is);
      }
    }
    for (const List& Was : Old.Set.Lists) {
      const auto Is = find_if(New.Set.Lists, [&](const List& Each) { return Each.Name == Was.Name; });
      if (Is != New.Set.Lists.end() && Is->Count != Was.Count) {
        Found.add(OfShape, "no graph takes '" + Was.Name + "' of " + Twine(Was.Count) + " elements any more");
      }
    }
    return std::move(Found);
  }

 private:
  void compareShapes(const Tensor& Was, const Tensor& Is) {
    const std::vector<int64_t> Shape = *shapeAt(Was, Old.At), Now = *shapeAt(Is, New.At);
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
    Add(Lost(Flag::ChannelsLast), OfGuard, "must be contiguous, it was channels_last");
    Add(Gained(Flag::ChannelsLast), OfGuard, "must be channels_last");
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
  std::vector<std::string> Lost;
  for (const Samples& OldSet : Old) {
    for (const Size& OldSize : sizesOf(OldSet)) {
      std::optional<Differences> Nearest;
      for (const Samples& NewSet : New) {
        for (const Size& NewSize : sizesOf(NewSet)) {
          Differences Next = Comparison({OldSet, OldSize}, {NewSet, NewSize}).run();
          if (!Nearest || Next.Weight < Nearest->Weight) {
            Nearest = std::move(Next);
          }
        }
      }
      if (Nearest) {
        append_range(Lost, Nearest->Texts);
      }
    }
  }
  return Lost;
}

}  // namespace graphgen::plan
