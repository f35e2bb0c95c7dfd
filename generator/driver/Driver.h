// SPDX-License-Identifier: Apache-2.0
//
// From files to files.
#pragma once

#include "driver/Options.h"

namespace graphgen::driver {

/// The program's exit status: 0 done, 1 errors in the input, 2 wrong usage.
int run(const Options& Given);

}  // namespace graphgen::driver
