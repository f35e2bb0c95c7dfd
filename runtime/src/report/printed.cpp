// SPDX-License-Identifier: Apache-2.0
#include <graphed/printed.h>

#include <limits>
#include <sstream>

namespace graphed {

std::string printed::text_of_floating(double value) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << value;
  return text.str();
}

}  // namespace graphed
