// SPDX-License-Identifier: Apache-2.0
#include "warnings.h"

namespace graphed::testing {

std::string link_to(const std::string& page) { return "; see " GRAPHED_TEST_DOCS "/" + page; }

}  // namespace graphed::testing
