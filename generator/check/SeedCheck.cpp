// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and the generators' classes.
#include "check/SeedCheck.h"

#include "check/code/KnownCalls.h"

#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool setsState(const KnownCall& Call) {
  if (Call.isOfNamespace()) {
    return Call.Name == "manual_seed" || Call.Name == "manual_seed_all";
  }
  const bool IsGenerator = llvm::StringSwitch<bool>(Call.Class)
                               .Cases({"Generator", "GeneratorImpl", "CPUGeneratorImpl", "CUDAGeneratorImpl"}, true)
                               .Default(false);
  return IsGenerator && llvm::StringSwitch<bool>(Call.Name)
                            .Cases({"set_current_seed", "seed", "set_state", "set_offset", "set_philox_offset_per_thread"}, true)
                            .Default(false);
}

}  // namespace

void SeedCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const KnownCall Call = knownCall(S); Call && setsState(Call)) {
    report(At, Call.Where, S.getSourceRange(),
           "'" + Call.Name + "' sets the state of a random generator, which a replay does not do again");
  }
}

}  // namespace graphgen::check
