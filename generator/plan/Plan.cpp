// SPDX-License-Identifier: Apache-2.0
//
// The plan of a file.
#include "plan/Plan.h"

#include "plan/Agreement.h"
#include "plan/CallablePlanner.h"
#include "plan/Identifiers.h"
#include "plan/Reachability.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <map>

using namespace llvm;

namespace graphgen::plan {
namespace {

/// Indices of the annotations of each callable, in the order of the file.
std::vector<std::vector<std::size_t>> groups(ArrayRef<annotation::Callable> Callables) {
  std::map<std::pair<StringRef, StringRef>, std::size_t> Known;
  std::vector<std::vector<std::size_t>> Result;
  for (std::size_t Index = 0; Index < Callables.size(); ++Index) {
    const annotation::Callable& Each = Callables[Index];
    const StringRef FunctionType = Each.FunctionType ? StringRef(*Each.FunctionType) : StringRef();
    const auto [Group, IsNew] = Known.try_emplace({Each.QualifiedName, FunctionType}, Result.size());
    if (IsNew) {
      Result.emplace_back();
    }
    Result[Group->second].push_back(Index);
  }
  return Result;
}

/// Nothing where there are problems.
std::optional<Callable> planGroup(ArrayRef<annotation::Callable> Callables, ArrayRef<std::size_t> Group, std::vector<Problem>& Problems) {
  const PrettyStackTraceFormat Trace("planning the annotated '%s'", Callables[Group.front()].QualifiedName.c_str());
  const std::size_t Before = Problems.size();
  checkAgreement(Callables, Group, Problems);
  if (Problems.size() != Before) {
    return std::nullopt;
  }
  Callable Result = planCallable(Callables, Group);
  checkReachability(Result, Group, Problems);
  return Problems.size() == Before ? std::optional(std::move(Result)) : std::nullopt;
}

}  // namespace

bool takesObjects(const Callable& Callable) {
  return any_of(Callable.Parameters, [](const Parameter& Each) { return annotation::isObject(Each.Type); });
}

bool hasVaryingLengths(const Callable& Callable) {
  return any_of(Callable.SampleSets, [&](const Samples& Each) { return Each.Lists != Callable.SampleSets.front().Lists; });
}

std::optional<FilePlan> makePlan(StringRef Input, bool IsHeader, ArrayRef<annotation::Callable> Callables, std::vector<Problem>& Problems) {
  const std::size_t Before = Problems.size();
  FilePlan Plan;
  Plan.Input = Input.str();
  Plan.IsHeader = IsHeader;
  for (const std::vector<std::size_t>& Group : groups(Callables)) {
    if (std::optional<Callable> Planned = planGroup(Callables, Group, Problems)) {
      Plan.Callables.push_back(std::move(*Planned));
    }
  }
  if (Problems.size() != Before) {
    return std::nullopt;
  }
  nameCallables(Input, Plan.Callables);
  return Plan;
}

}  // namespace graphgen::plan
