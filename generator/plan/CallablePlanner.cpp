// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#include "plan/CallablePlanner.h"

#include "plan/Flatten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <iterator>

using namespace llvm;

namespace graphgen::plan {
namespace {

OutputPolicy outputPolicy(StringRef Word) {
  if (Word == "alias") {
    return OutputPolicy::Alias;
  }
  if (Word == "host") {
    return OutputPolicy::Host;
  }
  return Word == "clone" ? OutputPolicy::Clone : OutputPolicy::Keep;
}

/// At most so many bytes of it, with dots for the others.
std::string cut(StringRef Text, std::size_t Longest) { return Text.take_front(Longest).str() + (Text.size() > Longest ? "..." : ""); }

/// A comment of one line can hold it: no line breaks, no backslash, no bytes that a reader cannot see.
std::string printable(std::string Result) {
  for (char& C : Result) {
    if (!isPrint(C) || C == '\\') {
      C = '_';
    }
  }
  return Result;
}

/// The options that are not here are not supported.
void apply(const annotation::Setting& Option, Options& Settings) {
  Settings.Given.insert(Option.Kind);
  switch (Option.Kind) {
    case annotation::OptionKind::Outputs:
      Settings.Outputs = outputPolicy(Option.Word);
      break;
    case annotation::OptionKind::Warmup:
      Settings.Warmup = Option.Number;
      break;
    case annotation::OptionKind::Strict:
      Settings.Strict = true;
      break;
    case annotation::OptionKind::Slots:
      Settings.Slots = Option.Number;
      break;
    case annotation::OptionKind::Pool:
      Settings.Pool = Option.Word;
      break;
    case annotation::OptionKind::Step:
      Settings.Step = true;
      break;
    case annotation::OptionKind::Grads:
      Settings.GradsInGraph = true;
      break;
    case annotation::OptionKind::Allow:
      Settings.Allowed.push_back(Option.Word);
      break;
    default:
      break;
  }
}

bool isNamed(const DimVariable& Variable, StringRef Extent) {
  const auto IsOfName = [](char C) { return isAlnum(C) || C == '_'; };
  while (!Extent.empty()) {
    const StringRef Word = Extent.take_while(IsOfName);
    if (Word == Variable.Name) {
      return true;
    }
    Extent = Extent.drop_front(std::max<std::size_t>(Word.size(), 1));
  }
  return false;
}

/// Those that are in a shape: an empty list has none.
std::vector<DimVariable> usedVariables(const Samples& Rows) {
  std::vector<DimVariable> Used;
  copy_if(Rows.Variables, std::back_inserter(Used), [&](const DimVariable& Variable) {
    return any_of(Rows.Tensors, [&](const Tensor& Each) {
      return any_of(Each.Shape, [&](const std::string& Extent) { return isNamed(Variable, Extent); });
    });
  });
  return Used;
}

/// `Rows` has the variables and lengths.
std::vector<Parameter> fill(Samples& Rows, const annotation::Callable& Annotated) {
  std::vector<Parameter> Parameters;
  std::size_t LiveScalars = 0;
  for (const auto& [Argument, Declared] : zip_equal(Annotated.Arguments, Annotated.Parameters)) {
    const std::size_t FirstTensor = Rows.Tensors.size();
    Parameters.push_back({flatten(Argument, Rows, LiveScalars), Declared.Default, FirstTensor, Argument.IsChangeable, Declared.Watched});
  }
  return Parameters;
}

/// The parameters' parts are those of the first annotation.
void add(const annotation::Callable& Annotated, std::size_t Index, const annotation::Constants& Lengths, Callable& Result) {
  Samples Rows;
  constexpr std::size_t LongestText = 120;
  Rows.AnnotationText = printable("GRAPHED(" + cut(Annotated.Text, LongestText) + ")");
  Rows.Annotation = Index;
  Rows.Variables = annotation::variablesThat(Annotated.Variables, /*AreCounts=*/false);
  Rows.Lengths = Lengths;
  if (!Lengths.empty()) {
    Samples All = Rows;
    fill(All, Annotated);
    Rows.Variables = usedVariables(All);
  }
  std::vector<Parameter> Parameters = fill(Rows, Annotated);
  if (Result.SampleSets.empty()) {
    Result.Parameters = std::move(Parameters);
  }
  Result.SampleSets.push_back(std::move(Rows));
}

}  // namespace

Callable planCallable(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group) {
  const annotation::Callable& First = Callables[Group.front()];
  Callable Result;
  static_cast<annotation::Function&>(Result) = First;
  Result.Result = partsOf(First.Result);
  Result.Watched = First.Watched;
  Result.WatchedVariables = First.WatchedVariables;
  Result.Writes = First.Writes;
  Result.Elsewhere = First.Elsewhere;
  Result.Outline = First.Outline;
  for (const auto& [Index, Place] : enumerate(Group)) {
    const annotation::Callable& Annotated = Callables[Place];
    constexpr std::size_t LongestSpelling = 2000;
    Result.Spelled.push_back(
        printable(cut(Annotated.Spelled.empty() ? "GRAPHED(" + Annotated.Text + ")" : Annotated.Spelled, LongestSpelling)));
    for (const annotation::Constants& Lengths :
         annotation::combinations(annotation::variablesThat(Annotated.Variables, /*AreCounts=*/true))) {
      add(Annotated, Index, Lengths, Result);
    }
    for_each(Annotated.Options, [&](const annotation::Setting& Each) { apply(Each, Result.Settings); });
  }
  return Result;
}

}  // namespace graphgen::plan
