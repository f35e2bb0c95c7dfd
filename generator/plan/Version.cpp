// SPDX-License-Identifier: Apache-2.0
//
// The version of the generator, which is that of the runtime it writes code for.
#include "plan/Version.h"

#include <graphed/version.h>

namespace graphgen::plan {

std::string versionText() {
  return std::to_string(GRAPHED_VERSION_MAJOR) + '.' + std::to_string(GRAPHED_VERSION_MINOR) + '.' + std::to_string(GRAPHED_VERSION_PATCH);
}

int versionNumber() { return GRAPHED_VERSION; }

}  // namespace graphgen::plan
