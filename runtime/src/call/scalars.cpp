// SPDX-License-Identifier: Apache-2.0
#include <graphed/scalars.h>

#include <limits>
#include <sstream>

namespace graphed {

std::string scalars::print_floating(double value) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << value;
  return text.str();
}

}  // namespace graphed
