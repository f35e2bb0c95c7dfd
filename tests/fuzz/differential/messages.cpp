// SPDX-License-Identifier: Apache-2.0
#include "messages.h"

#include <regex>

namespace graphed::fuzz {

// A changed tensor that a backward needs is named by its shape and version. Eager's is the saved one, perhaps a view, and its version
// counts the changes inside the callable. The first of several is another one in eager, which finds it during the backward. Of a saved view
// that is one of several which one operator made, eager names the view instead of the version of what it shows.
std::string stable_message(const std::exception& error) {
  static const std::regex version(": \\[.*\\] is at version [0-9]+; expected version [0-9]+ instead");
  static const std::regex part(
      "Output [0-9]+ of .* is a view and its base or another view of its base has been modified inplace. This view is the output of a "
      "function that returns multiple views.*");
  const std::string message = std::regex_replace(testing::message_of(error), version, "");
  return std::regex_replace(
      message, part,
      "one of the variables needed for gradient computation has been modified by an inplace operation. Hint: enable anomaly detection to "
      "find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

}  // namespace graphed::fuzz
