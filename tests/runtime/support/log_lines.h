// SPDX-License-Identifier: Apache-2.0
//
// The runtime's lines of all threads, collected by a log handler.
#pragma once

#include <graphed/log.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace graphed::testing {

class collected_lines {
 public:
  struct line {
    LogLevel level;
    std::string text;
  };

  collected_lines()
      : former_(set_log_handler([kept = kept_](LogLevel level, std::string_view text) {
          const std::lock_guard lock(kept->mutex);
          kept->lines.push_back({level, std::string(text)});
        })) {}
  ~collected_lines() { set_log_handler(std::move(former_)); }
  collected_lines(const collected_lines&) = delete;

  std::vector<line> all() const {
    const std::lock_guard lock(kept_->mutex);
    return kept_->lines;
  }
  /// How many of this level contain `part`.
  std::size_t count(LogLevel level, const std::string& part) const {
    const auto lines = all();
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](const line& each) { return each.level == level && each.text.find(part) != std::string::npos; }));
  }

 private:
  struct state {
    std::mutex mutex;
    std::vector<line> lines;
  };
  const std::shared_ptr<state> kept_ = std::make_shared<state>();
  LogHandler former_;
};

}  // namespace graphed::testing
