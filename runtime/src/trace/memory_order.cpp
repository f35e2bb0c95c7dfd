// SPDX-License-Identifier: Apache-2.0
#include "trace/memory_order.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace graphed::impl {
namespace {

/// Goes through the steps with what is known of each byte.
class memory_scan {
 public:
  memory_scan(const traced_program& traced, const std::vector<bool>& overwriting)
      : traced_(traced), overwriting_(overwriting), uses_(traced.memories.size()), order_{} {
    order_.after.resize(traced.steps.size());
    order_.values.resize(traced.steps.size());
  }

  memory_order scan() {
    note_uses_of_memories();
    for (std::size_t step = 0; step < traced_.steps.size(); ++step) {
      add_step(step);
    }
    for (const auto& [begin, bytes] : by_begin_) {
      for (const std::size_t value : bytes.values) {
        order_.values[value].is_seen |= traced_.memories[memory_of(value)].is_seen;
      }
    }
    return std::move(order_);
  }

 private:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  /// Bytes that the steps so far have used in the same way.
  struct bytes_alike {
    uintptr_t end;
    std::size_t writer = nobody;       ///< the last one
    std::vector<std::size_t> readers;  ///< since then
    std::vector<std::size_t> values;   ///< of overwriting steps, that may still be there: they have written some of the bytes
  };
  struct first_and_last {
    std::size_t first = nobody, last = 0;
  };

  static void add(std::vector<std::size_t>& to, std::size_t step) {
    if (to.empty() || to.back() != step) {
      to.push_back(step);
    }
  }

  template <class F>
  static void for_each_tensor(const traced_step& step, F f) {
    for (const auto& argument : step.arguments) {
      if (argument) {
        f(*argument);
      }
    }
    std::for_each(step.results.begin(), step.results.end(), f);
  }

  void note_uses_of_memories() {
    for (std::size_t step = 0; step < traced_.steps.size(); ++step) {
      for_each_tensor(traced_.steps[step], [&](const traced_tensor& tensor) {
        first_and_last& use = uses_[tensor.memory];
        use.first = std::min(use.first, step);
        use.last = step;
      });
    }
  }

  std::size_t memory_of(std::size_t value) const { return traced_.steps[value].results.front().memory; }

  void cut(uintptr_t at) {
    const auto next = by_begin_.upper_bound(at);
    if (next == by_begin_.begin()) {
      return;
    }
    const auto here = std::prev(next);
    if (here->first < at && at < here->second.end) {
      bytes_alike rest = here->second;
      here->second.end = at;
      by_begin_.emplace_hint(next, at, std::move(rest));
    }
  }

  template <class F>
  void for_each_alike(const byte_range& range, F f) {
    cut(range.begin);
    cut(range.end);
    auto found = by_begin_.lower_bound(range.begin);
    for (uintptr_t at = range.begin; at < range.end; at = found->second.end, ++found) {
      if (found == by_begin_.end() || found->first != at) {
        const uintptr_t end = found == by_begin_.end() ? range.end : std::min(found->first, range.end);
        found = by_begin_.emplace_hint(found, at, bytes_alike{end, nobody, {}, {}});
      }
      f(found->second);
    }
  }

  void add_step(std::size_t step) {
    auto& after = order_.after[step];
    if (barrier_ != nobody) {
      after.push_back(barrier_);
    }
    const traced_step& traced = traced_.steps[step];
    if (traced.is_barrier) {
      barrier_ = step;
      for (const auto& [begin, bytes] : by_begin_) {
        note_reader(bytes, step);
      }
    }
    for_each_tensor(traced, [&](const traced_tensor& tensor) { begin_memory(tensor.memory, step); });
    std::for_each(traced.reads.begin(), traced.reads.end(), [&](const byte_range& range) { read(range, step); });
    for (const auto& argument : traced.arguments) {
      if (argument) {
        read(argument->range(), step);
      }
    }
    std::for_each(traced.writes.begin(), traced.writes.end(), [&](const byte_range& range) { write(range, step); });
    for (const auto& result : traced.results) {
      write(result.range(), step);
    }
    if (overwriting_[step]) {
      note_value(step);
    }
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
  }

  void note_reader(const bytes_alike& bytes, std::size_t step) {
    for (const std::size_t value : bytes.values) {
      add(order_.values[value].readers, step);
    }
  }

  void read(const byte_range& range, std::size_t step) {
    for_each_alike(range, [&](bytes_alike& bytes) {
      come_after(bytes.writer, step);
      add(bytes.readers, step);
      note_reader(bytes, step);
    });
  }

  void write(const byte_range& range, std::size_t step) {
    for_each_alike(range, [&](bytes_alike& bytes) {
      come_after(bytes.writer, step);
      for (const std::size_t reader : bytes.readers) {
        come_after(reader, step);
      }
      bytes.writer = step;
      bytes.readers.clear();
    });
  }

  void come_after(std::size_t earlier, std::size_t step) {
    if (earlier != nobody && earlier != step) {
      order_.after[step].push_back(earlier);
    }
  }

  // What a storage that is gone held at these addresses is gone, too.
  void begin_memory(std::size_t memory, std::size_t step) {
    if (uses_[memory].first != step) {
      return;
    }
    const auto is_gone = [&](std::size_t value) {
      const std::size_t other = memory_of(value);
      return other != memory && !traced_.memories[other].is_seen && uses_[other].last < step;
    };
    for_each_alike(traced_.memories[memory].range, [&](bytes_alike& bytes) {
      bytes.values.erase(std::remove_if(bytes.values.begin(), bytes.values.end(), is_gone), bytes.values.end());
    });
  }

  void note_value(std::size_t step) {
    const traced_tensor& result = traced_.steps[step].results.front();
    const bool fills = result.is_dense();
    for_each_alike(result.range(), [&](bytes_alike& bytes) {
      if (fills) {
        bytes.values.clear();
      }
      bytes.values.push_back(step);
    });
  }

  const traced_program& traced_;
  const std::vector<bool>& overwriting_;
  std::vector<first_and_last> uses_;  ///< by memory, of tensors
  std::size_t barrier_ = nobody;
  std::map<uintptr_t, bytes_alike> by_begin_;
  memory_order order_;
};

}  // namespace

memory_order order_by_memory(const traced_program& traced, const std::vector<bool>& overwriting) {
  return memory_scan(traced, overwriting).scan();
}

}  // namespace graphed::impl
