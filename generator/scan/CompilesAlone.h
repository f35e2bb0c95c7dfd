// SPDX-License-Identifier: Apache-2.0
//
// Whether what a file has before LibTorch's headers needs nothing of them.
#pragma once

namespace graphgen::scan {

class FrontEnd;

/// Parses the file up to the first root that it includes, as isRoot knows it. False where that has an error, or ends within a declaration.
bool compilesAlone(const FrontEnd& Compiler);

}  // namespace graphgen::scan
