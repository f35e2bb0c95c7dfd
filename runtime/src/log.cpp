// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <c10/util/Exception.h>

#include <iostream>

namespace graphed {

std::string message_prefix(const callable_spec& spec) {
  const std::string place = spec.line == 0 ? "" : std::string(" (") + spec.file + ":" + std::to_string(spec.line) + ")";
  return std::string("graphed: ") + spec.name + place + ": ";
}

void warn(const std::string& message) {
  if (is_logged(log_level::warnings)) {
    TORCH_WARN(message);
  }
}

void log(const callable_spec& spec, const std::string& message) { std::cerr << message_prefix(spec) + message + "\n" << std::flush; }

}  // namespace graphed
