// SPDX-License-Identifier: Apache-2.0
//
// Operators that LibTorch declares as made of others, but that compute by a kernel of their own: of their parts the recorder would see the
// allocation only, and a replay would give the recorded values again.
#pragma once

namespace graphed {

/// Brings them to the recorder where autograd does not take them apart. Once in a process.
void install_raw_composites();

}  // namespace graphed
