// SPDX-License-Identifier: Apache-2.0
//
// index.html: the page, with the report inside.
#include "report/run/callable_report.h"

#include <string>
#include <string_view>

namespace graphed::impl {
namespace {

// Before the report, and after it.
constexpr std::string_view around[] = {
#include <Page.inc>
};

// The page is 300 KB at most where tables alone are not larger than half of that.
constexpr std::size_t bytes_of_graphs = 120'000;

// Inside of a script element: no text of the report ends it.
std::string without_tags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string page_of(const reported_process& process) {
  return std::string(around[0]) + without_tags(json_for_page(process, bytes_of_graphs)) + std::string(around[1]);
}

}  // namespace graphed::impl
