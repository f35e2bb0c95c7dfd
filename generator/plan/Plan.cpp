// SPDX-License-Identifier: Apache-2.0
//
// The plan of a file.
#include "plan/Plan.h"

#include "plan/CallablePlanner.h"
#include "plan/Identifiers.h"

#include <set>

using namespace llvm;

namespace graphgen::plan {
namespace {

/// Two annotations of one callable would specialise graphed::callable twice.
void reportRepeated(ArrayRef<annotation::Callable> Callables, std::vector<Problem>& Problems) {
  std::set<std::pair<StringRef, StringRef>> Seen;
  for (std::size_t Index = 0; Index < Callables.size(); ++Index) {
    const annotation::Callable& Each = Callables[Index];
    if (Seen.insert({Each.QualifiedName, Each.OverloadType ? StringRef(*Each.OverloadType) : StringRef()}).second) {
      continue;
    }
    const std::string Message = "several annotations of '" + Each.QualifiedName + "' in one file are not supported yet";
    Problems.push_back({Index, {"graphed-unsupported", {}, Message, {}}});
  }
}

}  // namespace

std::optional<FilePlan> makePlan(StringRef Input, bool IsHeader, ArrayRef<annotation::Callable> Callables, std::vector<Problem>& Problems) {
  const std::size_t Before = Problems.size();
  FilePlan Plan;
  Plan.Input = Input.str();
  Plan.IsHeader = IsHeader;
  for (std::size_t Index = 0; Index < Callables.size(); ++Index) {
    std::vector<annotation::Diagnostic> Found;
    if (std::optional<Callable> Planned = planCallable(Callables[Index], Found)) {
      Plan.Callables.push_back(std::move(*Planned));
    }
    for (annotation::Diagnostic& Each : Found) {
      Problems.push_back({Index, std::move(Each)});
    }
  }
  reportRepeated(Callables, Problems);
  if (Problems.size() != Before) {
    return std::nullopt;
  }
  nameCallables(Plan.Callables);
  return Plan;
}

}  // namespace graphgen::plan
