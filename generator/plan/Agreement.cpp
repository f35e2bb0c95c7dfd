// SPDX-License-Identifier: Apache-2.0
//
// Compares each annotation of a callable with the first, and each option with the first that gives it.
#include "plan/Agreement.h"

#include "annotation/Evaluate.h"
#include "annotation/Printer.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Field;
using annotation::Option;
using annotation::quoted;
using annotation::Spec;

std::string valueOf(const Option& Given, const annotation::Callable& Declared) {
  return Given.Value ? std::to_string(std::get<int64_t>(annotation::evaluateOption(Given, Declared.Constants))) : Given.Word;
}

class Comparison {
 public:
  Comparison(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group, std::vector<Problem>& Problems)
      : Callables(Callables), Group(Group), Problems(Problems) {}

  void run() {
    for (std::size_t I = 1; I < Group.size(); ++I) {
      compareText(I);
      for (const Field& Argument : Callables[Group[I]].Spec.Arguments) {
        compareArgument(Group[I], Argument);
      }
      for (const Option& Given : Callables[Group[I]].Spec.Options) {
        compareOption(I, Given);
      }
    }
  }

 private:
  void compareText(std::size_t I) {
    const std::string Text = annotation::print(Callables[Group[I]].Spec);
    for (const std::size_t Earlier : Group.take_front(I)) {
      if (annotation::print(Callables[Earlier].Spec) == Text) {
        return report(Group[I], "graphed-repeated", {}, "this annotation of '" + Callables[Earlier].QualifiedName + "' is given twice",
                      {Earlier, {}, "the first is here"});
      }
    }
  }

  void compareArgument(std::size_t Index, const Field& Argument) {
    const annotation::Callable& First = Callables[Group.front()];
    const auto Same = find_if(First.Spec.Arguments, [&](const Field& Each) { return Each.Name == Argument.Name; });
    if (Same != First.Spec.Arguments.end()) {
      compareValues(Index, Argument, Same->Value);
    }
  }

  void compareValues(std::size_t Index, const Field& Argument, const Spec& There) {
    if (Argument.Value.What == Spec::Kind::Scalar && There.What == Spec::Kind::Scalar) {
      return compareScalars(Index, Argument, There);
    }
    if (Argument.Value.Fields.size() != There.Fields.size()) {
      return tellKeys(Index, Argument, There);
    }
    for (const auto& [Position, Member] : enumerate(Argument.Value.Fields)) {
      const auto Same = Member.Name.empty()
                            ? There.Fields.begin() + static_cast<std::ptrdiff_t>(Position)
                            : find_if(There.Fields, [&, &Here = Member](const Field& Each) { return Each.Name == Here.Name; });
      if (Same == There.Fields.end()) {
        return tellKeys(Index, Argument, There);
      }
      compareValues(Index, Member, Same->Value);
    }
  }

  void tellKeys(std::size_t Index, const Field& Argument, const Spec& There) {
    report(Index, "graphed-unsupported", Argument.Value.Range, "members other than in the first annotation are not supported yet",
           {Group.front(), There.Range, "the first annotation is here"});
  }

  void compareScalars(std::size_t Index, const Field& Argument, const Spec& There) {
    if (Argument.Value.Scalar == There.Scalar) {
      return;
    }
    const std::string Name = quoted(Argument.Name);
    const std::string Word = quoted(annotation::spelling(There.Scalar));
    report(Index, "graphed-repeated", Argument.Value.Range,
           Name + " is " + quoted(annotation::spelling(Argument.Value.Scalar)) + " here, but " + Word + " in the first annotation",
           {Group.front(), There.Range, Name + " is " + Word + " here"});
  }

  /// What the annotations allow adds up.
  void compareOption(std::size_t I, const Option& Given) {
    if (Given.Kind == annotation::OptionKind::Allow) {
      return;
    }
    for (const std::size_t Earlier : Group.take_front(I)) {
      const std::vector<Option>& Options = Callables[Earlier].Spec.Options;
      const auto Same = find_if(Options, [&](const Option& Each) { return Each.Kind == Given.Kind; });
      if (Same == Options.end()) {
        continue;
      }
      const std::string Here = valueOf(Given, Callables[Group[I]]);
      const std::string There = valueOf(*Same, Callables[Earlier]);
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
