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
  const Size At;
  std::vector<std::vector<std::string>> Shapes;  // of its tensors

  Sample(const Samples& Set, const Size& At) : Set(Set), At(At) {
    for (const Tensor& Each : Set.Tensors) {
      Shapes.push_back(*extentsAt(Each, At, openSizesOf(Set)));
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
    for (const DimVariable& Each : Set.Variables) {
      if (Each.isOpen()) {
        Parts.insert("open " + Each.Name + " " + std::to_string(*Each.AtMost));
      }
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
    bindOpen(Tensors);
    for (const auto& [Was, Shape] : zip_equal(Old.Set.Tensors, Old.Shapes)) {
      const auto Index = Tensors.find(Was.Name);
      if (Index != Tensors.end()) {
        const Tensor& Is = New.Set.Tensors[Index->second];
        const auto Now = extentsAt(Is, New.At, Open);
        compareShapes(Was, Shape, Is, Now ? *Now : New.Shapes[Index->second]);
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
  /// The open variables of the new one take what is at their places in the old one.
  void bindOpen(const StringMap<std::size_t>& Tensors) {
    Open = openSizesOf(New.Set);
    std::set<std::string> Bound;
    for (const auto& [Was, Shape] : zip_equal(Old.Set.Tensors, Old.Shapes)) {
      const auto Index = Tensors.find(Was.Name);
      const Tensor* Is = Index == Tensors.end() ? nullptr : &New.Set.Tensors[Index->second];
      for (std::size_t I = 0; Is && I < std::min(Shape.size(), Is->Shape.size()); ++I) {
        const auto Known = Open.find(Is->Shape[I]);
        if (Known != Open.end() && Bound.insert(Known->first).second) {
          Known->second = Shape[I];
          compareLimits(Was.Shape[I], Known->first);
        }
      }
    }
  }

  /// `Extent` is what stood where the variable `Name` stands now.
  void compareLimits(const std::string& Extent, const std::string& Name) {
    const auto Named = [](const std::string& Wanted) { return [Wanted](const DimVariable& Each) { return Each.Name == Wanted; }; };
    const auto Was = find_if(Old.Set.Variables, Named(Extent));
    const auto Is = find_if(New.Set.Variables, Named(Name));
    const int64_t Values = Was == Old.Set.Variables.end() ? 1 : Was->isOpen() ? *Was->AtMost : static_cast<int64_t>(Was->Values.size());
    if (*Is->AtMost < Values) {
      Found.add(OfGuard, "of '" + Name + "' the first " + Twine(*Is->AtMost) + " values are captured, they were " + Twine(Values));
    }
  }

  void compareShapes(const Tensor& Was, ArrayRef<std::string> Shape, const Tensor& Is, ArrayRef<std::string> Now) {
    bool Fits = Was.Type == Is.Type && Shape.size() == Now.size();
    for (std::size_t I = 0; Fits && I < Shape.size(); ++I) {
      Fits = takes(Is.Shape[I], Now[I], Shape[I]);
      const DimVariable* Padded = Old.paddedBy(Was.Shape[I]);
      if (Fits && Padded && !New.paddedBy(Is.Shape[I])) {
        Found.add(OfGuard, "'" + Was.Name + "' is not padded any more: a size between the values of '" + Padded->Name +
                               "' runs the original function");
      }
    }
    if (!Fits) {
      Found.add(OfShape, "no graph takes '" + Was.Name + "' as " + typeAndShape(Was.Type, Shape) + " any more");
    }
  }

  /// A padded variable takes what is smaller too, in each of its dimensions.
  bool takes(const std::string& Extent, const std::string& Value, const std::string& Wanted) {
    if (!New.paddedBy(Extent)) {
      return Wanted == Value;
    }
    const std::optional<int64_t> Most = numberIn(Value), Size = numberIn(Wanted);
    return Most && Size && *Size <= *Most && Rounded.try_emplace(Extent, *Size).first->second == *Size;
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
    Add(Lost(Flag::Grad), OfGuard, "gets no gradient any more: a call where it requires grad runs the original function");
    Add(Gained(Flag::Grad), OfGuard, "must require grad: a call where it does not runs the original function");
    const bool IsStatic = Is.Flags.count(Flag::Static) != 0;
    Add(IsStatic && Lost(Flag::ChannelsLast), OfGuard, "must be contiguous, it was channels_last");
    Add(IsStatic && Gained(Flag::ChannelsLast), OfGuard, "must be channels_last");
    Add(Lost(Flag::Optional), OfGuard, "must be there, it was optional");
    Add(Gained(Flag::Host), OfGuard, "must be in the memory of the host: it is host");
    Add(Lost(Flag::Host), OfGuard, "must be on the device: it is not host any more");
    Add(Gained(Flag::Static), OfGuard, "must stay at one address: it is static");
    Add(Lost(Flag::Static), OfCost, "is copied by each call: it is not static any more");
    Add(Gained(Flag::Inplace), OfGuard, "is written: a call where it shares memory with another argument runs the original function");
  }

  const Sample& Old;
  const Sample& New;
  OpenSizes Open;
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
