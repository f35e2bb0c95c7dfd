// SPDX-License-Identifier: Apache-2.0
//
// graphgen doctor: what this machine has of what graphgen needs, whether it matches, and what to do where it does not.
#pragma once

#include "driver/Options.h"

namespace graphgen::doctor {

/// 0 where code can be generated, compiled and run on the tape, else 1. What a GPU needs besides is only noted.
int runDoctor(const driver::Options& Given);

}  // namespace graphgen::doctor
