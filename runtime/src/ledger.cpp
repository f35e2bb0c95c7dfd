// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"

#include <c10/util/Exception.h>

namespace graphed {

std::string message_prefix(const callable_spec& spec) {
  return std::string("graphed: ") + spec.name + " (" + spec.file + ":" + std::to_string(spec.line) + "): ";
}

void warn(const std::string& message) { TORCH_WARN(message); }

}  // namespace graphed
