// SPDX-License-Identifier: Apache-2.0
//
// What is collected for the report while the program runs: the first calls of a callable, and the operators of a capture.
#pragma once

#include "torch/call_stack.h"

#include <graphed/stats.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {

using report_clock = std::chrono::steady_clock;

namespace detail {
extern std::atomic<bool> collects;
/// Collects, and writes at the end of the process, where GRAPHED_REPORT names a folder. Always true.
bool ask_environment();
}  // namespace detail

/// Whether GRAPHED_REPORT or collect_report() has asked. Throws Error for an environment variable with a wrong value.
inline bool is_collecting() {
  static const bool has_asked = detail::ask_environment();
  static_cast<void>(has_asked);
  return detail::collects.load(std::memory_order_relaxed);
}
/// As graphed::collect_report.
void begin_collecting();
/// In microseconds, since collecting began.
double since_begin(report_clock::time_point time);

/// What became of a call.
enum class call_kind : uint8_t { warmup, capture, replay, miss };

struct noted_call {
  double begin;         ///< as since_begin
  double microseconds;  ///< of the host, until the call returned
  uint64_t thread;      ///< its number
  call_kind kind;
  std::optional<Miss> miss;
};

/// The first calls of one callable. Thread safety: all members.
class call_log {
 public:
  static constexpr std::size_t most = 64;

  /// Whether one more is noted. One load where there are enough.
  bool wants() const noexcept { return noted_.load(std::memory_order_relaxed) < most; }
  void add(const noted_call& call);
  std::vector<noted_call> all() const;
  void clear();

 private:
  std::atomic<std::size_t> noted_{0};
  mutable std::mutex mutex_;
  std::vector<noted_call> calls_;
};

/// One operator of a capture.
struct graph_node {
  std::string name;                ///< "aten::addmm"
  std::string result;              ///< of the first tensor that it writes: "f32[64, 10]"
  std::size_t branch = 0;          ///< in the order in which branches were first used
  std::vector<std::size_t> after;  ///< those whose values it uses, ascending
  uint64_t bytes_written = 0;
  std::vector<std::string> kernels;  ///< on CUDA
  call_stack called_from;            ///< the innermost of the user's functions
  std::vector<const void*> reads;    ///< memory that no operator of the graph has made: StorageImpls, which may be gone
};

/// One capture of a callable.
struct captured_work {
  double begin = 0;          ///< as since_begin
  double microseconds = 0;   ///< of the host
  uint64_t thread = 0;       ///< its number
  uint64_t bytes_added = 0;  ///< to its pool
  std::vector<graph_node> nodes;
  /// Memory that its operators made and that autograd, or the program, holds after it: StorageImpls, which may be gone, and bytes.
  std::vector<std::pair<const void*, uint64_t>> kept = {};
};

}  // namespace graphed::impl
