// SPDX-License-Identifier: Apache-2.0
//
// Compares each annotation of a callable with the first, and each option with the first that gives it.
#include "plan/Agreement.h"

#include "annotation/FlagRules.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Bound;
using annotation::quoted;
using annotation::Setting;
using annotation::TypeKind;

std::string valueOf(const Setting& Given) { return Given.Value ? std::to_string(Given.Number) : Given.Word; }

class Comparison {
 public:
  Comparison(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group, std::vector<Problem>& Problems)
      : Callables(Callables), Group(Group), Problems(Problems) {}

  void run() {
    for (std::size_t I = 1; I < Group.size(); ++I) {
      compareText(I);
      for (const auto& [Here, There] : zip_equal(Callables[Group[I]].Arguments, Callables[Group.front()].Arguments)) {
        compareParts(Group[I], Here, There);
      }
      for (const Setting& Given : Callables[Group[I]].Options) {
        compareOption(I, Given);
      }
    }
  }

 private:
  void compareText(std::size_t I) {
    const std::string& Text = Callables[Group[I]].Text;
    for (const std::size_t Earlier : Group.take_front(I)) {
      if (Callables[Earlier].Text == Text) {
        return report(Group[I], "graphed-repeated", {}, "this annotation of '" + Callables[Earlier].QualifiedName + "' is given twice",
                      {Earlier, {}, "the first is here"});
      }
    }
  }

  /// Maps may have other keys.
  void compareParts(std::size_t Index, const Bound& Here, const Bound& There) {
    if (annotation::isScalar(Here.Kind)) {
      return compareScalars(Index, Here, There);
    }
    if (annotation::isTensor(Here.Kind)) {
      compareHost(Index, Here, There);
      return compareAssigned(Index, Here, There);
    }
    if (annotation::isList(Here.Kind) || Here.Kind == TypeKind::Array) {
      return compareElements(Index, Here, There);
    }
    const auto HasSameName = [](const auto& Both) { return std::get<0>(Both).Name == std::get<1>(Both).Name; };
    if (Here.Parts.size() != There.Parts.size() || !all_of(zip_equal(Here.Parts, There.Parts), HasSameName)) {
      return report(Index, "graphed-unsupported", Here.Said->Range, "members other than in the first annotation are not supported yet",
                    {Group.front(), There.Said->Range, "the first annotation is here"});
    }
    for (const auto& [Each, Other] : zip_equal(Here.Parts, There.Parts)) {
      compareParts(Index, Each, Other);
    }
  }

  /// Either may say one for all.
  void compareElements(std::size_t Index, const Bound& Here, const Bound& There) {
    const auto PartAt = [](const Bound& List, std::size_t I) -> const Bound& { return List.Parts[std::min(I, List.Parts.size() - 1)]; };
    for (std::size_t I = 0; I < std::max(Here.Parts.size(), There.Parts.size()); ++I) {
      compareParts(Index, PartAt(Here, I), PartAt(There, I));
    }
  }

  void compareScalars(std::size_t Index, const Bound& Here, const Bound& There) {
    if (Here.Said->Scalar == There.Said->Scalar) {
      return;
    }
    const std::string Name = quoted(Here.Path);
    const std::string Word = quoted(annotation::spelling(There.Said->Scalar));
    report(Index, "graphed-repeated", Here.Said->Range,
           Name + " is " + quoted(annotation::spelling(Here.Said->Scalar)) + " here, but " + Word + " in the first annotation",
           {Group.front(), There.Said->Range, Name + " is " + Word + " here"});
  }

  void compareHost(std::size_t Index, const Bound& Here, const Bound& There) {
    const auto WayOf = [](const Bound& B) { return annotation::findFlag(*B.Said, annotation::Flag::Host) ? "'host'" : "not 'host'"; };
    const std::string Way = WayOf(There), Name = quoted(Here.Path);
    if (WayOf(Here) != Way) {
      report(Index, "graphed-repeated", Here.Said->Range, Name + " is " + WayOf(Here) + " here, but " + Way + " in the first annotation",
             {Group.front(), There.Said->Range, Name + " is " + Way + " here"});
    }
  }

  /// Generated code passes each call's tensor on in one way.
  void compareAssigned(std::size_t Index, const Bound& Here, const Bound& There) {
    const auto WayOf = [](const Bound& B) {
      const bool IsOut = annotation::isSaid(B, annotation::UnseenKind::Out);
      return IsOut ? "'out'" : B.Kind == TypeKind::Tensor ? "not 'out'" : B.IsChangeable ? "neither 'out' nor 'inplace'" : "'inplace'";
    };
    const std::string Way = WayOf(There), Name = quoted(Here.Path);
    if (WayOf(Here) != Way) {
      report(Index, "graphed-repeated", Here.Said->Range, Name + " is " + WayOf(Here) + " here, but " + Way + " in the first annotation",
             {Group.front(), There.Said->Range, Name + " is " + Way + " here"});
    }
  }

  /// What the annotations allow adds up.
  void compareOption(std::size_t I, const Setting& Given) {
    if (Given.Kind == annotation::OptionKind::Allow) {
      return;
    }
    for (const std::size_t Earlier : Group.take_front(I)) {
      const std::vector<Setting>& Options = Callables[Earlier].Options;
      const auto Same = find_if(Options, [&](const Setting& Each) { return Each.Kind == Given.Kind; });
      if (Same == Options.end()) {
        continue;
      }
      const std::string Here = valueOf(Given);
      const std::string There = valueOf(*Same);
      if (Here != There) {
        const std::string Name = quoted(annotation::spelling(Given.Kind));
        report(Group[I], "graphed-repeated", Given.Range,
               "options hold for all annotations of a callable, but " + Name + " is " + Here + " here and " + There + " in an earlier one",
               {Earlier, Same->Range, Name + " is " + There + " here"});
      }
      return;
    }
  }

  void report(std::size_t Index, const char* Id, annotation::TextRange Range, const Twine& Message, Problem::Note Note) {
    Problems.push_back({Index, {Id, Range, Message.str(), {}}, std::move(Note)});
  }

  ArrayRef<annotation::Callable> Callables;
  ArrayRef<std::size_t> Group;
  std::vector<Problem>& Problems;
};

}  // namespace

void checkAgreement(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group, std::vector<Problem>& Problems) {
  Comparison(Callables, Group, Problems).run();
}

}  // namespace graphgen::plan
