// SPDX-License-Identifier: Apache-2.0
//
// The warnings of this thread, collected instead of being printed.
#pragma once

#include <c10/util/Exception.h>

#include <algorithm>
#include <string>
#include <vector>

namespace graphed::testing {

/// How a message ends that leads to a page of docs/: "; see docs/how-to/training-steps.md", or the page at GRAPHGEN_DOCS_URL.
std::string link_to(const std::string& page);

class collected_warnings : private c10::WarningHandler {
 public:
  collected_warnings() : guard_(this) {}

  std::size_t count() const { return texts_.size(); }
  /// How many contain all of `parts`.
  std::size_t count(const std::vector<std::string>& parts) const {
    return static_cast<std::size_t>(std::count_if(texts_.begin(), texts_.end(), [&](const std::string& text) {
      return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) { return text.find(part) != std::string::npos; });
    }));
  }
  std::string all() const {
    std::string joined;
    for (const auto& text : texts_) {
      joined += text + '\n';
    }
    return joined;
  }

 private:
  void process(const c10::Warning& warning) override { texts_.push_back(warning.msg()); }

  std::vector<std::string> texts_;
  c10::WarningUtils::WarningHandlerGuard guard_;
};

}  // namespace graphed::testing
