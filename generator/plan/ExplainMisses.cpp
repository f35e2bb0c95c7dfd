// SPDX-License-Identifier: Apache-2.0
//
// The guards of the runtime, as they apply to one callable.
#include "plan/ExplainMisses.h"

#include "plan/Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Flag;

class Reasons {
 public:
  explicit Reasons(const Callable& Callable) : Callable(Callable) {
    for (const Samples& Set : Callable.SampleSets) {
      for (const Tensor& Each : Set.Tensors) {
        Names.insert(Each.Name);
      }
    }
  }

  std::vector<std::string> find() {
    if (!Names.empty()) {
      addShapes();
      addOpenVariables();
      addFlags();
      Found.push_back("an argument is on another device than the first one, or has elements that overlap");
      Found.push_back("an argument is sparse, conjugate or negative, or an inference tensor outside of inference mode");
    }
    addLists();
    if (!Callable.Settings.Step) {
      Found.push_back((Callable.Settings.Slots == 1 ? "the slot" : "each of the " + std::to_string(Callable.Settings.Slots) + " slots") +
                      (Callable.Settings.Outputs == OutputPolicy::Host ? " is in use, by a call on another thread"
                                                                       : " is in use, by a call that runs or awaits its backward"));
    }
    return std::move(Found);
  }

 private:
  void addShapes() {
    for (const std::string& Name : Names) {
      SetVector<std::string, std::vector<std::string>, std::set<std::string>> Fits;
      for (const Samples& Set : Callable.SampleSets) {
        const auto Input = find_if(Set.Tensors, [&](const Tensor& Each) { return Each.Name == Name; });
        for (const Size& At : Input == Set.Tensors.end() ? std::vector<Size>() : sizesOf(Set)) {
          if (isLargestPadded(Set, At)) {
            Fits.insert(typeAndShape(Set, *Input, At) + (isPadded(Set, *Input) ? " or smaller" : ""));
          }
        }
      }
      Found.push_back(Name + " is not " + listed(Fits.getArrayRef()));
    }
  }

  void addOpenVariables() {
    for (const Samples& Set : Callable.SampleSets) {
      for (const DimVariable& Each : Set.Variables) {
        if (Each.isOpen()) {
          Found.push_back(Each.Name + " is none of the first " + std::to_string(*Each.AtMost) + " values that calls used");
        }
      }
    }
  }

  /// Whether the padded variables have their largest values: what is smaller is rounded up.
  static bool isLargestPadded(const Samples& Set, const Size& At) {
    return all_of(Set.Variables, [&](const DimVariable& Each) { return !Each.Pad || At.at(Each.Name) == Each.Values.back(); });
  }

  static bool isPadded(const Samples& Set, const Tensor& Input) {
    const auto Index = static_cast<std::size_t>(&Input - Set.Tensors.data());
    return any_of(Set.PaddedDims, [&](const PaddedDim& Each) { return Each.Tensor == Index; });
  }

  static std::string listed(ArrayRef<std::string> Fits) {
    constexpr std::size_t MostShown = 8;
    std::string Text;
    for (const auto& [Index, Each] : enumerate(Fits.take_front(MostShown))) {
      Text += (Index == 0 ? "" : Index + 1 == Fits.size() ? " or " : ", ") + Each;
    }
    return Text + (Fits.size() > MostShown ? ", ... (" + std::to_string(Fits.size()) + " sizes)" : "");
  }

  bool has(const Samples& Set, const std::string& Name, Flag Wanted) const {
    return any_of(Set.Tensors, [&](const Tensor& Each) { return Each.Name == Name && Each.Flags.count(Wanted) != 0; });
  }
  bool inSome(const std::string& Name, Flag Wanted) const {
    return any_of(Callable.SampleSets, [&](const Samples& Set) { return has(Set, Name, Wanted); });
  }
  bool inAll(const std::string& Name, Flag Wanted) const {
    return all_of(Callable.SampleSets, [&](const Samples& Set) { return has(Set, Name, Wanted); });
  }

  std::string those(function_ref<bool(const std::string&)> Counts) const {
    std::string Text;
    for (const std::string& Name : Names) {
      if (Counts(Name)) {
        Text += (Text.empty() ? "" : ", ") + Name;
      }
    }
    return Text;
  }

  void add(const std::string& Who, const std::string& What) {
    if (!Who.empty()) {
      Found.push_back(Who + ": " + What);
    }
  }

  void addFlags() {
    const auto With = [&](Flag Wanted) { return those([&](const std::string& Name) { return inSome(Name, Wanted); }); };
    const auto Without = [&](Flag Wanted) { return those([&](const std::string& Name) { return !inSome(Name, Wanted); }); };
    add(those([&](const std::string& Name) { return inAll(Name, Flag::Grad); }), "does not require grad, in grad mode");
    add(Without(Flag::Grad), "requires grad, in grad mode");
    add(Without(Flag::Optional), "is undefined");
    add(With(Flag::Host), "is not in the memory of the host");
    add(With(Flag::Static), "is not at the address of the first call, which is a multiple of 256 bytes on CUDA, of 64 on a CPU");
    add(With(Flag::Static), "is not contiguous, or not channels last where that is annotated");
    add(With(Flag::Inplace), "shares memory with another argument or a tensor that is closed over, or, in grad mode, is a view");
  }

  void addLists() {
    std::map<std::string, std::set<int64_t>> Counts;
    for (const Samples& Set : Callable.SampleSets) {
      for (const List& Each : Set.Lists) {
        Counts[Each.Name].insert(Each.Count);
      }
    }
    for (const auto& [Name, Lengths] : Counts) {
      std::vector<std::string> Texts;
      for (const int64_t Each : Lengths) {
        Texts.push_back(std::to_string(Each));
      }
      Found.push_back(Name + " holds another number of elements than " + listed(Texts));
    }
  }

  const plan::Callable& Callable;
  SetVector<std::string, std::vector<std::string>, std::set<std::string>> Names;
  std::vector<std::string> Found;
};

}  // namespace

std::vector<std::string> reasonsToMiss(const Callable& Callable) { return Reasons(Callable).find(); }

}  // namespace graphgen::plan
