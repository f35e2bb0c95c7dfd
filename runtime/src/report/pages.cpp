// SPDX-License-Identifier: Apache-2.0
#include "report/pages.h"

namespace graphed::impl {

std::string link_to_page(std::string_view page) {
  constexpr std::string_view published = GRAPHED_DOCS_URL;
  constexpr std::string_view base = published.empty() ? "docs" : published.substr(0, published.find_last_not_of('/') + 1);
  return std::string(base) + "/" + std::string(page);
}

std::string see(std::string_view page) { return "; see " + link_to_page(page); }

}  // namespace graphed::impl
