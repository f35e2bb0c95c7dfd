// SPDX-License-Identifier: Apache-2.0
//
// Whether what the runtime reads past LibTorch's accessors lies where LibTorch's own code has it.
#pragma once

namespace graphed {

/// What does not, in words, or null.
const char* misplaced_part();

}  // namespace graphed
