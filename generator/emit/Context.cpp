// SPDX-License-Identifier: Apache-2.0
//
// A plan as the keys that the templates use.
#include "emit/Context.h"

#include "emit/Calls.h"
#include "emit/Spelling.h"
#include "emit/Tables.h"
#include "emit/Visit.h"
#include "emit/Watch.h"
#include "plan/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

std::string wordOf(bool Value) { return Value ? "true" : "false"; }

std::string wordOf(plan::OutputPolicy Policy) {
  switch (Policy) {
    case plan::OutputPolicy::Keep:
      return "Keep";
    case plan::OutputPolicy::Alias:
      return "Alias";
    case plan::OutputPolicy::Clone:
      return "Clone";
    case plan::OutputPolicy::Host:
      return "Host";
  }
  llvm_unreachable("an output policy without a name");
}

json::Array annotations(const plan::Callable& Callable) {
  json::Array Result;
  for (const plan::Samples& Each : Callable.SampleSets) {
    if (Each.Annotation == Result.size()) {
      Result.push_back(json::Object{{"annotation", Each.AnnotationText}});
    }
  }
  return Result;
}

/// Of lines that are not too long.
json::Array spelled(const plan::Callable& Callable) {
  constexpr std::size_t Longest = Columns - 40;  // escapes and the indentation besides
  json::Array Result;
  for (const auto& [Index, Text] : enumerate(Callable.Spelled)) {
    StringRef Rest = Text;
    while (Rest.size() > Longest) {
      const std::size_t Space = Rest.rfind(' ', Longest);
      const std::size_t Length = Space == StringRef::npos ? Longest : Space + 1;
      Result.push_back(json::Object{{"literal", literal(Rest.take_front(Length))}, {"last", false}});
      Rest = Rest.drop_front(Length);
    }
    const bool IsLast = Index + 1 == Callable.Spelled.size();
    Result.push_back(json::Object{{"literal", literal(Rest.str() + (IsLast ? "" : "\n"))}, {"last", IsLast}});
  }
  return Result;
}

/// The options that are seldom given, and what is seldom so: one object, or none where all have their defaults.
json::Array captureOptions(const plan::Options& Settings, bool HasHostValues) {
  const plan::Options Defaults;
  const bool HasLast = Settings.GradsInGraph || HasHostValues;
  if (Settings.Slots == Defaults.Slots && Settings.Pool == Defaults.Pool && Settings.Step == Defaults.Step && !HasLast) {
    return {};
  }
  return json::Array{json::Object{{"slots", std::to_string(Settings.Slots)},
                                  {"pool", Settings.Pool.empty() ? "nullptr" : literal(Settings.Pool)},
                                  {"further", Settings.Step || HasLast},
                                  {"step", wordOf(Settings.Step)},
                                  {"last", HasLast},
                                  {"grads_in_graph", wordOf(Settings.GradsInGraph)},
                                  {"host_values", HasHostValues}}};
}

json::Array statements(ArrayRef<std::string> Texts) {
  json::Array Rows;
  for (const std::string& Each : Texts) {
    Rows.push_back(json::Object{{"statement", Each}});
  }
  return Rows;
}

/// The default argument infinity is spelled by std::numeric_limits.
bool usesLimits(const plan::Callable& Callable) {
  return any_of(Callable.Parameters, [](const plan::Parameter& Each) {
    return Each.Type != annotation::TypeKind::String && Each.Default && StringRef(*Each.Default).contains("std::numeric_limits");
  });
}

bool isHostOutputs(const plan::Callable& Callable) { return Callable.Settings.Outputs == plan::OutputPolicy::Host; }

json::Object callableContext(const plan::FilePlan& File, const plan::Callable& Callable) {
  const CallSpelling Spelling = spellCalls(Callable);
  const bool IsMethod = Callable.Kind == annotation::CallableKind::Method;
  return json::Object{
      {"annotations", annotations(Callable)},
      {"flat_arguments", hasFlatArguments(Callable)},
      {"visits", !Spelling.VisitParameters.empty()},
      {"visitor", Spelling.Visitor},
      {"visit_parameters", Spelling.VisitParameters},
      {"visit_statements", Spelling.VisitStatements},
      {"visited", Spelling.Visited},
      {"static_copies", statements(Spelling.StaticCopies)},
      {"visited_copies", Spelling.VisitedCopies},
      {"flat_result", hasFlatResult(Callable)},
      {"visit_result", hasFlatResult(Callable) ? "" : visitResult(Callable)},
      {"changes", changesArguments(Callable)},
      {"outcome_members", statements(Spelling.OutcomeMembers)},
      {"given_back", statements(changesGivenBack(Callable))},
      {"has_result", Callable.Result.Type != annotation::TypeKind::Void},
      {"result_name", resultName(Callable)},
      {"result_type", changesArguments(Callable) ? "Outcome" : Spelling.ResultType},
      {"qualified_name", Callable.QualifiedName},
      {"name", literal(Callable.QualifiedName)},
      {"file", literal(File.Input)},
      {"line", std::to_string(Callable.Line)},
      {"glue", glueNamespace(Callable)},
      {"node", Callable.Identifier + "Function"},
      {"inline", File.IsHeader ? "" : "inline "},
      {"spelled", spelled(Callable)},
      {"tables", json::Array{tables(Callable)}},
      {"warmup", std::to_string(Callable.Settings.Warmup)},
      {"outputs", wordOf(Callable.Settings.Outputs)},
      {"strict", wordOf(Callable.Settings.Strict)},
      {"host_outputs", isHostOutputs(Callable)},
      {"no_history", isHostOutputs(Callable) && !Callable.Settings.Step},
      {"captures", captureOptions(Callable.Settings, hasHostValues(Callable.Result))},
      {"method", IsMethod},
      {"object_type", Spelling.ObjectType},
      {"module", Callable.ObjectIsModule},
      {"watches", !Callable.Watched.empty() || !Callable.WatchedVariables.empty()},
      {"watched", watched(Callable, Spelling.ObjectType)},
      {"by_pointer", isCalledByPointer(Callable)},
      {"hidden", Callable.IsHidden},
      {"exported", Callable.IsExported},
      {"selected", Callable.FunctionType && !Callable.IsHidden},
      {"address", Spelling.Address},
      {"pointer", Spelling.Pointer},
      {"engine", Spelling.Engine},
      {"apart", Spelling.Apart},
      {"object", Spelling.Object},
      {"signature", Spelling.Signature},
      {"has_parameters", !Callable.Parameters.empty()},
      {"members", statements(Spelling.Members)},
      {"argument_names", Spelling.Names},
      {"declared_parameters", Spelling.DeclaredParameters},
      {"defined_parameters", Spelling.DefinedParameters},
      {"tensor_arguments", Spelling.TensorArguments},
      {"has_scalars", !Spelling.ScalarsBlock.empty()},
      {"scalars_block", Spelling.ScalarsBlock},
      {"scalars", !Spelling.ScalarsBlock.empty() ? ", scalars()"
                  : plan::takesObjects(Callable) ? ", {}"
                                                 : ""},
      {"takes_objects", plan::takesObjects(Callable)},
      {"watched_arguments", watchedArguments(Callable)},
      {"static_inputs", Spelling.StaticInputs},
      {"captured_block", Spelling.CapturedBlock},
      {"original_block", Spelling.OriginalBlock},
  };
}

}  // namespace

json::Object templateContext(const plan::FilePlan& Plan) {
  json::Array Callables;
  for (const plan::Callable& Each : Plan.Callables) {
    const PrettyStackTraceFormat Trace("writing the code of '%s'", Each.QualifiedName.c_str());
    Callables.push_back(callableContext(Plan, Each));
  }
  const bool AnyLimits = any_of(Plan.Callables, usesLimits);
  const bool AnyMethod = any_of(Plan.Callables, [](const auto& Each) { return Each.Kind == annotation::CallableKind::Method; });
  return json::Object{
      {"input", Plan.Input},
      {"header", (sys::path::stem(Plan.Input, sys::path::Style::posix) + ".graphed.h").str()},
      {"version", plan::versionText()},
      {"version_number", std::to_string(plan::versionNumber())},
      {"any_limits", AnyLimits},
      {"any_method", AnyMethod},
      {"any_host_outputs", any_of(Plan.Callables, isHostOutputs)},
      {"any_standard", AnyLimits || AnyMethod},
      {"callables", std::move(Callables)},
  };
}

}  // namespace graphgen::emit
