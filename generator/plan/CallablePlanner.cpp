// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#include "plan/CallablePlanner.h"

#include "annotation/Evaluate.h"
#include "annotation/FlagRules.h"
#include "annotation/Supported.h"
#include "plan/Parts.h"
#include "plan/SamplesPlanner.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

OutputPolicy outputPolicy(StringRef Word) {
  if (Word == "alias") {
    return OutputPolicy::Alias;
  }
  return Word == "clone" ? OutputPolicy::Clone : OutputPolicy::Keep;
}

/// Plans a callable whose annotations have no problems.
class CallablePlanner {
 public:
  explicit CallablePlanner(ArrayRef<const annotation::Callable*> Annotations) : Annotations(Annotations), Declared(*Annotations.front()) {}

  Callable plan() {
    copyDeclaration();
    Result.Result = partsOf(Declared.Result);
    for (const annotation::Parameter& Each : Declared.Parameters) {
      addParameter(Each);
    }
    for (const annotation::Callable* Each : Annotations) {
      Result.SampleSets.push_back(planSamples(*Each));
      for (const annotation::Option& Given : Each->Spec.Options) {
        applyOption(Given, Each->Constants);
      }
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
    Result.Watched = Declared.Watched;
    Result.Writes = Declared.Writes;
  }

  void addParameter(const annotation::Parameter& Declaration) {
    const annotation::Spec& Spec = find_if(Declared.Spec.Arguments, [&](const auto& Each) { return Each.Name == Declaration.Name; })->Value;
    Result.Parameters.push_back({partsOf(Declaration, Spec, Declared.Constants, LiveScalars), Declaration.Default, Tensors});
    Tensors += Result.Parameters.back().TensorCount;
  }

  /// The options that are not here are not supported.
  void applyOption(const annotation::Option& Option, const annotation::Constants& Known) {
    Result.Settings.Given.insert(Option.Kind);
    switch (Option.Kind) {
      case annotation::OptionKind::Outputs:
        Result.Settings.Outputs = outputPolicy(Option.Word);
        break;
      case annotation::OptionKind::Warmup:
        Result.Settings.Warmup = number(Option, Known);
        break;
      case annotation::OptionKind::Strict:
        Result.Settings.Strict = true;
        break;
      case annotation::OptionKind::Slots:
        Result.Settings.Slots = number(Option, Known);
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

  static int64_t number(const annotation::Option& Option, const annotation::Constants& Known) {
    return std::get<int64_t>(annotation::evaluateOption(Option, Known));
  }

  ArrayRef<const annotation::Callable*> Annotations;
  const annotation::Callable& Declared;  // by the first of them
  Callable Result;
  std::size_t Tensors = 0;
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

std::vector<annotation::Diagnostic> checkAnnotation(const annotation::Callable& Declared) {
  std::vector<annotation::Diagnostic> Problems;
  checkArguments(Declared, Problems);
  append_range(Problems, annotation::checkSupported(Declared.Spec));
  append_range(Problems, annotation::checkValues(Declared.Spec, Declared.Constants));
  append_range(Problems, annotation::checkFlags(Declared.Spec));
  return Problems;
}

Callable planCallable(ArrayRef<const annotation::Callable*> Annotations) { return CallablePlanner(Annotations).plan(); }

}  // namespace graphgen::plan
