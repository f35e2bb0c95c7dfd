// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#include "plan/CallablePlanner.h"

#include "annotation/Evaluate.h"
#include "annotation/FlagRules.h"
#include "annotation/Printer.h"
#include "annotation/Supported.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

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

OutputPolicy outputPolicy(StringRef Word) {
  if (Word == "alias") {
    return OutputPolicy::Alias;
  }
  return Word == "clone" ? OutputPolicy::Clone : OutputPolicy::Keep;
}

/// Plans a callable whose annotation has no problems.
class CallablePlanner {
 public:
  explicit CallablePlanner(const annotation::Callable& Declared) : Declared(Declared) {}

  Callable plan() {
    copyDeclaration();
    for (const annotation::Parameter& Each : Declared.Parameters) {
      addParameter(Each);
    }
    for (const annotation::Option& Each : Declared.Spec.Options) {
      applyOption(Each);
    }
    return std::move(Result);
  }

 private:
  void copyDeclaration() {
    Result.QualifiedName = Declared.QualifiedName;
    Result.Kind = Declared.Kind;
    Result.OverloadType = Declared.OverloadType;
    Result.ObjectType = Declared.ObjectType;
    Result.ObjectIsConst = Declared.ObjectIsConst;
    Result.ObjectIsModule = Declared.ObjectIsModule;
    Result.Line = Declared.Line;
    Result.AnnotationText = printable(annotation::print(Declared.Spec));
  }

  void addParameter(const annotation::Parameter& Declaration) {
    const annotation::Spec& Spec = find_if(Declared.Spec.Arguments, [&](const auto& Each) { return Each.Name == Declaration.Name; })->Value;
    Parameter New;
    New.Name = Declaration.Name;
    New.Type = Declaration.Type;
    New.Default = Declaration.Default;
    New.FirstTensor = Result.Tensors.size();
    if (Spec.What == annotation::Spec::Kind::Scalar) {
      New.Scalar = Spec.Scalar;
      New.LiveIndex = Spec.Scalar == annotation::ScalarKind::Live ? LiveScalars++ : 0;
    } else {
      addTensors(Declaration.Name, Spec);
    }
    New.TensorCount = Result.Tensors.size() - New.FirstTensor;
    Result.Parameters.push_back(std::move(New));
  }

  void addTensors(const std::string& Name, const annotation::Spec& Spec) {
    Tensor New;
    New.Name = Name;
    New.Type = Spec.Type;
    New.Shape = std::get<std::vector<int64_t>>(annotation::evaluateShape(Spec, Declared.Constants));
    for (const annotation::FlagUse& Use : Spec.Flags) {
      New.Flags.insert(Use.Value);
    }
    if (!Spec.Repeat) {
      Result.Tensors.push_back(std::move(New));
      return;
    }
    const int64_t Count = std::get<int64_t>(annotation::evaluateCount(*Spec.Repeat, Declared.Constants));
    for (int64_t I = 0; I < Count; ++I) {
      New.Name = Name + '[' + std::to_string(I) + ']';
      Result.Tensors.push_back(New);
    }
  }

  /// The options that are not here have no effect on the plan: `policy = always` is what happens anyway.
  void applyOption(const annotation::Option& Option) {
    switch (Option.Kind) {
      case annotation::OptionKind::Outputs:
        Result.Settings.Outputs = outputPolicy(Option.Word);
        break;
      case annotation::OptionKind::Warmup:
        Result.Settings.Warmup = number(Option);
        break;
      case annotation::OptionKind::Strict:
        Result.Settings.Strict = true;
        break;
      case annotation::OptionKind::Slots:
        Result.Settings.Slots = number(Option);
        break;
      case annotation::OptionKind::Pool:
        Result.Settings.Pool = Option.Word;
        break;
      case annotation::OptionKind::Retain:
        Result.Settings.Retain = true;
        break;
      default:
        break;
    }
  }

  int64_t number(const annotation::Option& Option) const {
    return std::get<int64_t>(annotation::evaluateOption(Option, Declared.Constants));
  }

  const annotation::Callable& Declared;
  Callable Result;
  std::size_t LiveScalars = 0;
};

void checkArguments(const annotation::Callable& Declared, std::vector<annotation::Diagnostic>& Problems) {
  for (const annotation::Parameter& Each : Declared.Parameters) {
    if (none_of(Declared.Spec.Arguments, [&](const auto& Argument) { return Argument.Name == Each.Name; })) {
      Problems.push_back({"graphed-mismatch", {}, "the annotation does not name the parameter '" + Each.Name + "'", {}});
    }
  }
}

}  // namespace

std::optional<Callable> planCallable(const annotation::Callable& Declared, std::vector<annotation::Diagnostic>& Problems) {
  const std::size_t Before = Problems.size();
  checkArguments(Declared, Problems);
  append_range(Problems, annotation::checkSupported(Declared.Spec));
  append_range(Problems, annotation::checkValues(Declared.Spec, Declared.Constants));
  append_range(Problems, annotation::checkFlags(Declared.Spec));
  if (Problems.size() != Before) {
    return std::nullopt;
  }
  return CallablePlanner(Declared).plan();
}

}  // namespace graphgen::plan
