// SPDX-License-Identifier: Apache-2.0
//
// The fixes of a run, applied.
#pragma once

#include "report/Message.h"

#include "llvm/Support/Error.h"

namespace graphgen::report {

struct FixedFile {
  std::string Before;
  std::string After;
  std::size_t Edits = 0;
};

/// By the file's absolute path, what each holds when the fixes of all messages (fixOf) are applied. One that several messages have is
/// applied once. Items that are added to a list at one place are there in the order of the messages. Fails where two overlap, or would
/// insert anything else at one place, and names both places.
llvm::Expected<std::map<std::string, FixedFile>> applyFixes(const Report& Told);

}  // namespace graphgen::report
