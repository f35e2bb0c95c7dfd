// SPDX-License-Identifier: Apache-2.0
//
// What became less graphable between two builds. docs/reference/manifest.md says what that means.
#pragma once

#include "plan/Manifest.h"

namespace graphgen::plan {

struct Loss {
  std::string File;
  unsigned Line = 0;  // of the new declaration; of the old one where that is gone
  std::string Callable;
  std::string What;
};

/// In the order of the old manifest.
std::vector<Loss> compare(const Manifest& Old, const Manifest& New);

}  // namespace graphgen::plan
