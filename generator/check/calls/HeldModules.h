// SPDX-License-Identifier: Apache-2.0
//
// Modules in LibTorch's containers, which hold them without their types.
#pragma once

#include "check/calls/ModuleRuns.h"
#include "check/state/UnitIndex.h"

#include <vector>

namespace graphgen::check {

struct HeldModule {
  const clang::CXXRecordDecl* Class;  // of the module itself, not of its holder: ReLUImpl
  const clang::Expr* Made;            // what makes it, or names it where that is not seen
};

/// In the order in which they run; of a Sequential inside of another one its modules.
struct HeldModules {
  std::vector<std::vector<HeldModule>> Made;  // for each value of the container
  std::vector<HeldModule> Put;                // later: `net->push_back(module)`
};

/// Of a module's type, or of one that holds a module, the module's class: NetImpl of Net and shared_ptr<NetImpl>; else null.
const clang::CXXRecordDecl* moduleOf(clang::QualType Type);

/// The modules that E makes or names, those in containers one by one; of a function that makes a container all that are in its body.
std::vector<HeldModule> modulesMadeIn(const clang::Expr& E, const UnitIndex& Index);

/// What a torch::nn::Sequential or AnyModule that is run is seen to hold; nothing of other modules.
HeldModules modulesWithin(const ModuleRun& Run, const UnitIndex& Index);

/// Of the program's own modules among those that S runs so: their `forward`.
std::vector<const clang::FunctionDecl*> forwardsWithin(const clang::Stmt& S, const UnitIndex& Index);

}  // namespace graphgen::check
