// SPDX-License-Identifier: Apache-2.0
//
// The backwards of one captured forward: a graph for each pattern of incoming gradients, and how their gradients reach the leaves.
#pragma once

#include "backend/capture_lock.h"
#include "slot/backward_capture.h"
#include "slot/memory_names.h"
#include "slot/retry_schedule.h"
#include "slot/versions.h"
#include "watch/host_part.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Backwards that are captured for one slot, before eager autograd takes the others. As many are remembered of which no capture worked.
constexpr std::size_t patterns_of_a_slot = 16;

/// While a thread goes back it holds the lock, as several may through one node at once: the variants and their results are that thread's
/// then. User code in a backward may call others of the pool, which ask this slot to make way on the same thread.
class backward_table {
 public:
  explicit backward_table(captured_forward forward) : forward_(forward) {}

  std::unique_lock<reentrant_mutex> lock() { return std::unique_lock(mutex_); }
  /// Without waiting: the caller may hold what the thread that goes back waits for.
  std::unique_lock<reentrant_mutex> try_lock() { return {mutex_, std::try_to_lock}; }

  /// Whether a backward set random numbers back to where the captured call began, so that the slot can serve no other call.
  bool is_tied_to_a_call() const { return is_tied_to_a_call_; }
  /// For people, a line for each pattern: which gradients come in, its replays, or why eager autograd takes its place, and for how long.
  /// Does not wait: where a thread goes back just now, there is one line that says so.
  std::vector<std::string> explain();
  /// The same for the report. False where a thread goes back just now.
  bool report(std::vector<reported_backward>& to, const memory_names& names);
  /// Whether callers hold gradients of this capture or later ones.
  bool shows_results(uint64_t first_capture) const;
  /// Whether a replay can wait for all that may still read them.
  bool can_be_overwritten(const overwrite& next) const;
  /// Moves them: how many.
  moved_storages keep(overwrite& next, uint64_t first_capture);

  const captured_forward& forward() const { return forward_; }
  leaf_store& leaves() { return leaves_; }
  /// Room for what one call's node is to remember: an empty list, that of a node which no longer needs it.
  std::vector<saved_tensor> take_room() { return std::exchange(room_, {}); }
  void give_back(std::vector<saved_tensor>&& saved);

  struct found {
    backward_variant* variant = nullptr;  ///< null: eager autograd computes these gradients
    bool is_captured_now = false;
    std::string learned;  ///< eager autograd is to be watched this time, as learn_host_results() needs it for this pattern; or empty
    std::optional<failed_try> failed;  ///< the capture that this backward has tried
  };
  /// The variant for these gradients and leaves, captured if it is new and no capture of such gradients has failed lately. `leaves` becomes
  /// null where their gradients are given after the graph. `is_first_call`: the slot has served no other call than the captured one.
  found find(const tensor_list& gradients, const call_details& details, std::shared_ptr<leaf_gradients>& leaves, bool is_first_call);
  /// How eager autograd's backward ended in the place of a capture that has failed.
  void note_failure_alone(const failed_try& failed) const;
  void note_failure_of_both(const tensor_list& gradients, const call_details& details, const failed_try& failed);
  /// What host parts of a backward of this pattern have returned: its next capture goes on with tensors like these.
  void learn_host_results(const std::string& pattern, std::vector<host_results> shown) { host_results_[pattern] = std::move(shown); }
  /// A replay of the variant, for these gradients, was taken back because of `why`: eager autograd takes its place for a while. Throws
  /// CaptureError under `strict`.
  void drop(const backward_variant& variant, const tensor_list& gradients, const call_details& details, const std::string& why);
  /// Captures the backward for dense gradients of all outputs. If it fails, that is a warning, and eager autograd takes its place. Where it
  /// is `required`, or under `strict`, it throws CaptureError. The same holds where it has waited in vain for another capture.
  void prepare(bool required);

 private:
  /// A capture, which eager autograd must prepare where it has to show first what host parts return. It does not where it is `required`. A
  /// capture that gives gradients to `leaves` ends at the first host part, before that runs.
  struct attempt {
    const std::string& pattern;
    const tensor_list& gradients;
    const call_details& details;
    leaf_gradients* leaves;
    bool is_first_call, required;
    bool lacks_host_results = false, comes_to_host_part = false;
    std::optional<failed_try> failed{};
  };
  /// Those that failed, of gradients which are like these but for their addresses and leaves.
  struct failed_backward : retry_schedule {
    std::string gradients;  ///< in words
  };
  std::string choose_pattern(const tensor_list& gradients, const call_details& details) const;
  bool are_worth_a_graph(const std::string& pattern, const leaf_gradients& leaves);
  void warn_of_patterns() const;
  void warn_of_anomaly_mode() const;
  /// Null where there is none.
  std::unique_ptr<backward_variant> capture(attempt& now);
  template <class F>
  void for_each_failed(F&& f) const {
    for (const auto& [pattern, each] : failed_) {
      f(each);
    }
    if (!other_failed_.refusal.empty()) {
      f(other_failed_);
    }
  }
  /// Null where none has failed.
  failed_backward* find_failed(const std::string& pattern);
  /// Whether a capture may be tried. Counts the backward.
  bool may_try(const tensor_list& gradients, const call_details& details);
  std::unique_ptr<backward_variant> fail(attempt& now, const recording& seen, const std::string& what, next_try next);

  const captured_forward forward_;
  reentrant_mutex mutex_;
  std::map<std::string, std::unique_ptr<backward_variant>> variants_;
  std::map<std::string, failed_backward> failed_;
  failed_backward other_failed_;  ///< of all patterns beyond those
  std::map<std::string, std::vector<host_results>> host_results_;
  std::string unsettled_;  ///< the pattern of a backward that would have added to gradients where no graph has left them
  leaf_store leaves_;
  std::vector<saved_tensor> room_;
  bool has_host_parts_ = false;  ///< which run while no leaf is claimed: one may go back into the same leaf
  std::atomic<bool> is_tied_to_a_call_{false};
};

}  // namespace graphed::impl
