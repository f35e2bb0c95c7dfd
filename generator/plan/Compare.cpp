// SPDX-License-Identifier: Apache-2.0
//
// Each size of the old manifest is held against the nearest of the new one, then the scalars and the options.
#include "plan/Compare.h"

#include "plan/CompareSizes.h"
#include "plan/PlanWords.h"

#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::ScalarKind;

class CallableComparison {
 public:
  CallableComparison(const ManifestCallable& Old, const ManifestCallable& New) : Old(Old), New(New) {}

  std::vector<std::string> run() {
    for (const std::string& Each : lostSizes(Old.SampleSets, New.SampleSets)) {
      add(Each);
    }
    for (const auto& [Name, Kind] : Old.Scalars) {
      const auto Now = New.Scalars.find(Name);
      if (Now != New.Scalars.end()) {
        compareScalar(Name, Kind, Now->second);
      }
    }
    for (const std::string& Each : New.Objects) {
      addIf(Old.Objects.count(Each) == 0, "'" + Each + "' is an object: each one has captures of its own");
    }
    compareOutputs();
    compareOptions();
    return Found.takeVector();
  }

 private:
  void add(const Twine& What) { Found.insert(What.str()); }
  void addIf(bool IsLess, const Twine& What) {
    if (IsLess) {
      add(What);
    }
  }

  void compareScalar(const std::string& Name, ScalarKind Was, ScalarKind Is) {
    const std::string Change = ("'" + Name + "' is " + annotation::spelling(Is) + ", it was " + annotation::spelling(Was)).str();
    addIf(Was != Is && Is == ScalarKind::Const, Change + ": another value than the first is an error");
    addIf(Was == ScalarKind::Live && Is == ScalarKind::Key, Change + ": each value has a capture of its own");
  }

  void compareOutputs() {
    const OutputPolicy Was = Old.Settings.Outputs, Is = New.Settings.Outputs;
    if (Was == Is) {
      return;
    }
    const std::string Change = ("outputs are " + wordFor(Is) + ", they were " + wordFor(Was)).str();
    addIf(Is == OutputPolicy::Alias, Change + ": the next call overwrites them");
    addIf(Is == OutputPolicy::Clone, Change + ": each call copies them");
    addIf(Is == OutputPolicy::Host, Change + ": they are on the host, and each call waits for them");
    addIf(Was == OutputPolicy::Host, Change + ": they are on the device");
    addIf(Is == OutputPolicy::Keep && Was == OutputPolicy::Clone, Change + ": another thread or stream that reads them is not protected");
  }

  void compareOptions() {
    const Options &Was = Old.Settings, &Is = New.Settings;
    addIf(Is.Slots < Was.Slots, "slots are " + Twine(Is.Slots) + ", they were " + Twine(Was.Slots) +
                                    ": further forwards that wait for their backwards run the original function");
    addIf(Is.Warmup > Was.Warmup,
          "warmup is " + Twine(Is.Warmup) + ", it was " + Twine(Was.Warmup) + ": more calls run the original function before a capture");
    addIf(Was.Strict && !Is.Strict, "it is not strict any more: a call that does not match runs the original function, and does not throw");
    addIf(Was.Step && !Is.Step, "it is not a training step any more");
    addIf(Was.GradsInGraph && !Is.GradsInGraph, "the graph does not write .grad any more: autograd accumulates it");
  }

  const ManifestCallable& Old;
  const ManifestCallable& New;
  SetVector<std::string, std::vector<std::string>, std::set<std::string>> Found;
};

/// The callables of a manifest, by name.
class Index {
 public:
  explicit Index(const Manifest& In) {
    for (const ManifestCallable& Each : In.Callables) {
      Overloads& Named = ByName[Each.Name];
      Named.ByType.try_emplace(Each.Overload, &Each);
      ++Named.Count;
    }
  }

  /// Its type identifies one of several functions of a name; it is written only where there are several.
  const ManifestCallable* find(const ManifestCallable& Wanted) const {
    const auto Named = ByName.find(Wanted.Name);
    if (Named == ByName.end()) {
      return nullptr;
    }
    const auto& [ByType, Count] = Named->second;
    if (const auto Exact = ByType.find(Wanted.Overload); Exact != ByType.end()) {
      return Exact->second;
    }
    const ManifestCallable* Other = ByType.begin()->second;
    return Count == 1 && (Other->Overload.empty() || Wanted.Overload.empty()) ? Other : nullptr;
  }

 private:
  struct Overloads {
    std::map<StringRef, const ManifestCallable*> ByType;
    std::size_t Count = 0;
  };

  std::map<StringRef, Overloads> ByName;
};

}  // namespace

std::vector<Loss> compare(const Manifest& Old, const Manifest& New) {
  std::vector<Loss> Losses;
  const Index Known(New);
  for (const ManifestCallable& Each : Old.Callables) {
    const ManifestCallable* Now = Known.find(Each);
    if (!Now) {
      Losses.push_back({Old.File, Each.Line, Each.Name, "is not graphed any more"});
      continue;
    }
    for (std::string& What : CallableComparison(Each, *Now).run()) {
      Losses.push_back({New.File, Now->Line, Each.Name, std::move(What)});
    }
  }
  return Losses;
}

}  // namespace graphgen::plan
