// SPDX-License-Identifier: Apache-2.0
//
// What annotated callables do in other sources than their own: the calls of each are followed through the summaries.
#pragma once

#include "check/join/Summary.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <set>
#include <string>
#include <vector>

namespace graphgen::check::join {

/// What is reported of a place, with the way from there back to the annotated callable.
struct Joined {
  Told Its;
  const Callable* Of;
};

class Joiner {
 public:
  /// `IsProgram`: no code but that of the sources changes what is there for others to change.
  explicit Joiner(bool IsProgram) : IsProgram(IsProgram) {}

  void add(Summary One);

  /// Of all callables, in the order in which their summaries were added; each finding once for each callable. Those that the callable's
  /// annotations allow are left out.
  std::vector<Joined> join();

  /// The functions that callables come to and no summary has, and methods of which there may be more overrides, by the names that the
  /// program gives them.
  const std::set<std::string>& missing() const { return Missing; }

  /// Members and variables that callables read, and no summary says to be changed; and those of std::function that other sources may set.
  const std::set<std::string>& unchanged() const { return Unchanged; }

 private:
  struct Reach;
  struct Step {
    const Function* To;
    const Call* From;
    const Reach* Caller;
  };
  void follow(const Callable& Of);
  bool isKept(Told& Its);
  void removeParts(size_t First);
  void addSteps(llvm::ArrayRef<Call> Calls, const Reach& Caller, std::vector<Step>& To);
  static Reach reachOf(const Step& By);
  bool isNew(const Function& Its, const Reach& Here);
  std::vector<const Function*> overridesFor(const Call& From) const;

  std::vector<std::unique_ptr<Summary>> Summaries;
  llvm::StringMap<const Function*> Functions;
  llvm::StringMap<std::vector<const Function*>> Overrides;  // by the method that they override
  llvm::StringMap<Place> Changed;
  std::set<std::string> Missing, Unchanged, Seen;
  std::vector<Joined> Found;
  const bool IsProgram;
};

}  // namespace graphgen::check::join
