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

class CallablePlanner {
 public:
  explicit CallablePlanner(const annotation::Callable& Declared) : Declared(Declared) {
    copyDeclaration();
    Result.Result = partsOf(Declared.Result);
  }

  /// The parameters' parts are those of the first.
  void add(const annotation::Callable& Annotated) {
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
    for_each(Annotated.Options, [this](const annotation::Setting& Each) { apply(Each); });
  }

  Callable take() { return std::move(Result); }

 private:
  void copyDeclaration() {
    Result.QualifiedName = Declared.QualifiedName;
    Result.Kind = Declared.Kind;
    Result.OverloadType = Declared.OverloadType;
    Result.ObjectType = Declared.ObjectType;
    Result.ObjectIsConst = Declared.ObjectIsConst;
    Result.ObjectIsModule = Declared.ObjectIsModule;
    Result.Line = Declared.Line;
    Result.Watched = Declared.Watched;
    Result.Writes = Declared.Writes;
  }

  /// The options that are not here are not supported.
  void apply(const annotation::Setting& Option) {
    Result.Settings.Given.insert(Option.Kind);
    switch (Option.Kind) {
      case annotation::OptionKind::Outputs:
        Result.Settings.Outputs = outputPolicy(Option.Word);
        break;
      case annotation::OptionKind::Warmup:
        Result.Settings.Warmup = Option.Number;
        break;
      case annotation::OptionKind::Strict:
        Result.Settings.Strict = true;
        break;
      case annotation::OptionKind::Slots:
        Result.Settings.Slots = Option.Number;
        break;
      case annotation::OptionKind::Pool:
        Result.Settings.Pool = Option.Word;
        break;
      case annotation::OptionKind::Step:
        Result.Settings.Step = true;
        break;
      case annotation::OptionKind::Grads:
        Result.Settings.GradsInGraph = true;
        break;
      case annotation::OptionKind::Allow:
        Result.Settings.Allowed.push_back(Option.Word);
        break;
      default:
        break;
    }
  }

  const annotation::Callable& Declared;  // by the first of its annotations
  Callable Result;
};

}  // namespace

Callable planCallable(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group) {
  CallablePlanner Planner(Callables[Group.front()]);
  for_each(Group, [&](std::size_t Index) { Planner.add(Callables[Index]); });
  return Planner.take();
}

}  // namespace graphgen::plan
