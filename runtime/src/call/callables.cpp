// SPDX-License-Identifier: Apache-2.0
#include <graphed/callables.h>

#include "call/engine_state.h"
#include "call/report.h"
#include "report/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iomanip>
#include <map>
#include <mutex>
#include <ostream>

namespace graphed::impl {
namespace {

// Never destroyed: callables in static storage are made before it and live longer.
struct engine_list {
  std::mutex mutex;
  std::vector<std::weak_ptr<engine_state>> all;
};

struct name_counts {
  std::mutex mutex;
  uint64_t all = 0;
  std::map<std::string, std::shared_ptr<std::atomic<uint64_t>>> by_name;
};

engine_list& engines() {
  static auto& made = *new engine_list;
  return made;
}

constexpr std::array columns{"calls", "warm-ups", "replays", "backward", "misses", "captures", "failed", "bytes held"};
using counts = std::array<uint64_t, columns.size()>;

counts counts_of(const Statistics& stats) {
  return {stats.calls,           stats.warmups,
          stats.replays,         stats.backward_replays,
          stats.miss_count(),    stats.captures + stats.backward_captures,
          stats.failed_captures, stats.bytes_held};
}

}  // namespace

std::shared_ptr<const made_callable> one_more_callable(const char* name) {
  static auto& counts = *new name_counts;
  const std::lock_guard lock(counts.mutex);
  auto& of_name = counts.by_name[name];
  if (!of_name) {
    of_name = std::make_shared<std::atomic<uint64_t>>(0);
  }
  const uint64_t ordinal = ++*of_name;
  return std::make_shared<made_callable>(made_callable{name, ++counts.all, ordinal, of_name});
}

std::vector<std::shared_ptr<engine_state>> living_engines() {
  std::vector<std::shared_ptr<engine_state>> found;
  const std::lock_guard lock(engines().mutex);
  for (const auto& engine : engines().all) {
    if (auto held = engine.lock()) {
      found.push_back(std::move(held));
    }
  }
  return found;
}

void register_engine(const std::shared_ptr<engine_state>& made) {
  const std::lock_guard lock(engines().mutex);
  auto& all = engines().all;
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& engine) { return engine.expired(); }), all.end());
  all.push_back(made);
  report_living_callables();
}

}  // namespace graphed::impl

namespace graphed {
using namespace impl;

StatisticsTable stats_all() {
  StatisticsTable table;
  for (const auto& engine : living_engines()) {
    table.rows.push_back({engine->spec.name, engine->spec.file, engine->spec.line, engine->counts->stats()});
  }
  return table;
}

void reset_all() {
  for (const auto& engine : living_engines()) {
    engine->reset();
  }
}

std::ostream& operator<<(std::ostream& out, const StatisticsTable& table) {
  std::size_t name = std::string("callable").size();
  counts sums{};
  for (const auto& row : table.rows) {
    name = std::max(name, row.name.size());
  }
  const auto write = [&](const std::string& first, const auto& cells) {
    out << std::left << std::setw(static_cast<int>(name)) << first << std::right;
    for (const auto& text : cells) {
      out << std::setw(12) << text;
    }
    out << '\n';
  };
  const auto texts = [](const counts& numbers) {
    std::array<std::string, columns.size()> made;
    std::transform(numbers.begin(), numbers.end(), made.begin(), [](uint64_t number) { return std::to_string(number); });
    made.back() = human_bytes(numbers.back());
    return made;
  };
  write("callable", columns);
  for (const auto& row : table.rows) {
    const counts numbers = counts_of(row.stats);
    std::transform(sums.begin(), sums.end(), numbers.begin(), sums.begin(), std::plus<>());
    write(row.name, texts(numbers));
  }
  write("all", texts(sums));
  return out;
}

}  // namespace graphed
