// SPDX-License-Identifier: Apache-2.0
//
// The version of the generator, which is that of the runtime it writes code for.
#pragma once

#include <string>

namespace graphgen::plan {

/// "0.1.0"
std::string versionText();

/// The value of GRAPHED_VERSION that generated code asks for.
int versionNumber();

}  // namespace graphgen::plan
