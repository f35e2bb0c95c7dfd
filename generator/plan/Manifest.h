// SPDX-License-Identifier: Apache-2.0
//
// A manifest, read back.
#pragma once

#include "plan/Plan.h"

#include <map>
#include <set>
#include <string>

namespace graphgen::plan {

struct ManifestCallable {
  std::string Name;
  std::string Overload;  // empty where the name has one function
  unsigned Line = 0;
  std::map<std::string, annotation::ScalarKind> Scalars;  // by their paths: "causal", "batch.config.eps"
  std::set<std::string> Objects;                          // parameters that are modules or other objects
  std::vector<Samples> SampleSets;                        // without places of padding
  Options Settings;                                       // without their origin
};

struct Manifest {
  std::string File;
  std::vector<ManifestCallable> Callables;
};

/// Whether JSON's parser, which calls itself for each level, would need too much of the stack.
bool isTooDeep(llvm::StringRef Text);

/// Fails, naming the place, for text that is not a manifest, or one of another schema version.
llvm::Expected<Manifest> readManifest(llvm::StringRef Text);

}  // namespace graphgen::plan
