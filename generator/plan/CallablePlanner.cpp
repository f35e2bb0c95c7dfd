// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#include "plan/CallablePlanner.h"

#include "plan/Flatten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

OutputPolicy outputPolicy(StringRef Word) {
  if (Word == "alias") {
    return OutputPolicy::Alias;
  }
  return Word == "clone" ? OutputPolicy::Clone : OutputPolicy::Keep;
}

constexpr std::size_t LongestText = 120;

/// A comment of one line can hold it: no line breaks, no backslash, no bytes that a reader cannot see.
std::string printable(StringRef Text) {
  std::string Result = "GRAPHED(" + Text.take_front(LongestText).str() + (Text.size() > LongestText ? "..." : "") + ")";
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

/// The parameters' parts are those of the first annotation.
void add(const annotation::Callable& Annotated, Callable& Result) {
  Samples& Rows = Result.SampleSets.emplace_back();
  Rows.AnnotationText = printable(Annotated.Text);
  Rows.Variables = Annotated.Variables;
  std::size_t LiveScalars = 0;
  for (const auto& [Argument, Parameter] : zip_equal(Annotated.Arguments, Annotated.Parameters)) {
    const std::size_t FirstTensor = Rows.Tensors.size();
    Part Whole = flatten(Argument, Rows, LiveScalars);
    if (Result.SampleSets.size() == 1) {
      Result.Parameters.push_back({std::move(Whole), Parameter.Default, FirstTensor});
    }
  }
  for_each(Annotated.Options, [&](const annotation::Setting& Each) { apply(Each, Result.Settings); });
}

}  // namespace

Callable planCallable(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group) {
  const annotation::Callable& First = Callables[Group.front()];
  Callable Result;
  static_cast<annotation::Function&>(Result) = First;
  Result.Result = partsOf(First.Result);
  Result.Watched = First.Watched;
  Result.Writes = First.Writes;
  for_each(Group, [&](std::size_t Index) { add(Callables[Index], Result); });
  return Result;
}

}  // namespace graphgen::plan
