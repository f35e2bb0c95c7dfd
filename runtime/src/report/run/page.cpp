// SPDX-License-Identifier: Apache-2.0
//
// index.html: the parts of page/ in one file, with the report.
#include "report/run/callable_report.h"

#include <string_view>
#include <utility>

namespace graphed::impl {
namespace {

constexpr std::pair<std::string_view, std::string_view> parts[] = {
#include <Page.inc>
};

// The page is 300 KB at most where tables alone are not larger than half of that.
constexpr std::size_t bytes_of_graphs = 120'000;

std::string_view part(std::string_view name) {
  for (const auto& [known, text] : parts) {
    if (known == name) {
      return text;
    }
  }
  return {};
}

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
  const std::string report = without_tags(json_for_page(process, bytes_of_graphs));
  std::string page;
  std::string_view rest = part("page.html");
  for (auto begin = rest.find("{{"); begin != std::string_view::npos; begin = rest.find("{{")) {
    const auto end = rest.find("}}", begin);
    const std::string_view name = rest.substr(begin + 2, end - begin - 2);
    page += rest.substr(0, begin);
    page += name == "report" ? std::string_view(report) : part(name);
    rest.remove_prefix(end + 2);
  }
  page += rest;
  return page;
}

}  // namespace graphed::impl
