// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#include "plan/CallablePlanner.h"

#include "annotation/Evaluate.h"
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

const annotation::FlagUse* findFlag(const annotation::Spec& Spec, annotation::Flag Flag) {
  const auto Use = find_if(Spec.Flags, [Flag](const annotation::FlagUse& Each) { return Each.Value == Flag; });
  return Use == Spec.Flags.end() ? nullptr : &*Use;
}

bool hasGradients(annotation::DType Type) {
  switch (Type) {
    case annotation::DType::I64:
    case annotation::DType::I32:
    case annotation::DType::I16:
    case annotation::DType::I8:
    case annotation::DType::U8:
    case annotation::DType::Bool:
      return false;
    default:
      return true;
  }
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
    New.Grad = findFlag(Spec, annotation::Flag::Grad) != nullptr;
    New.Inplace = findFlag(Spec, annotation::Flag::Inplace) != nullptr;
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
    if (Option.Kind == annotation::OptionKind::Outputs) {
      Result.Settings.Outputs = outputPolicy(Option.Word);
    } else if (Option.Kind == annotation::OptionKind::Warmup) {
      Result.Settings.Warmup = std::get<int64_t>(annotation::evaluateOption(Option, Declared.Constants));
    } else if (Option.Kind == annotation::OptionKind::Strict) {
      Result.Settings.Strict = true;
    }
  }

  const annotation::Callable& Declared;
  Callable Result;
};

void checkArguments(const annotation::Callable& Declared, std::vector<annotation::Diagnostic>& Problems) {
  for (const annotation::Parameter& Each : Declared.Parameters) {
    if (none_of(Declared.Spec.Arguments, [&](const auto& Argument) { return Argument.Name == Each.Name; })) {
      Problems.push_back({"graphed-mismatch", {}, "the annotation does not name the parameter '" + Each.Name + "'", {}});
    }
  }
}

void checkGradients(const annotation::Callable& Declared, std::vector<annotation::Diagnostic>& Problems) {
  for (const annotation::Field& Each : Declared.Spec.Arguments) {
    const annotation::FlagUse* Grad = findFlag(Each.Value, annotation::Flag::Grad);
    if (!Grad || hasGradients(Each.Value.Type)) {
      continue;
    }
    const std::string Message = "only floating-point and complex tensors can require grad, but '" + Each.Name + "' is ";
    Problems.push_back({"graphed-dtype", Grad->Range, Message + annotation::spelling(Each.Value.Type).str(), {}});
  }
}

}  // namespace

std::optional<Callable> planCallable(const annotation::Callable& Declared, std::vector<annotation::Diagnostic>& Problems) {
  const std::size_t Before = Problems.size();
  checkArguments(Declared, Problems);
  append_range(Problems, annotation::checkSupported(Declared.Spec));
  append_range(Problems, annotation::checkValues(Declared.Spec, Declared.Constants));
  checkGradients(Declared, Problems);
  if (Problems.size() != Before) {
    return std::nullopt;
  }
  return CallablePlanner(Declared).plan();
}

}  // namespace graphgen::plan
