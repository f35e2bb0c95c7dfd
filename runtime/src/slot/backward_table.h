// SPDX-License-Identifier: Apache-2.0
//
// The backwards of one captured forward: a graph for each pattern of incoming gradients, and how their gradients reach the leaves.
#pragma once

#include "backend/reentrant_mutex.h"
#include "slot/backward_capture.h"
#include "slot/versions.h"
#include "torch/node.h"
#include "torch/parked_accumulators.h"

#include <graphed/function.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace graphed {

/// Backwards that are captured for one slot, before eager autograd takes the others.
constexpr std::size_t patterns_of_a_slot = 16;

/// While a thread goes back it holds the lock, as several may through one node at once: the variants and their results are that thread's
/// then. User code in a backward may call others of the pool, which ask this slot to make way on the same thread.
class backward_table {
 public:
  explicit backward_table(captured_forward forward) : forward_(forward) {}

  std::unique_lock<reentrant_mutex> lock() { return std::unique_lock(mutex_); }
  /// Without waiting: whoever asks may hold what the thread that goes back waits for.
  std::unique_lock<reentrant_mutex> try_lock() { return {mutex_, std::try_to_lock}; }

  /// Whether a backward set random numbers back to where the captured call began, so that the slot can serve no other call.
  bool is_tied_to_a_call() const { return is_tied_to_a_call_; }
  /// For people, a line for each pattern: which gradients come in, its replays, or why eager autograd takes its place. Does not wait: where
  /// a thread goes back just now, there is one line that says so.
  std::vector<std::string> explain();
  /// Whether callers hold gradients of this capture or later ones.
  bool shows_results(uint64_t first_capture) const;
  /// Moves them: how many.
  std::size_t keep(uint64_t first_capture);

  /// Makes `node` the history of the written arguments of a call, between them and what they depend on, before results show them.
  void connect_arguments(const inputs& inputs, const owned_node<torch::autograd::Node>& node);
  /// Makes it the history of the results, and notes in `saved` what its backward needs.
  void connect_results(const inputs& inputs, const tensor_list& results, bool is_padded, const owned_node<torch::autograd::Node>& node,
                       std::vector<saved_tensor>& saved);
  /// What a node no longer needs, for the next one.
  void give_back(std::vector<saved_tensor>&& saved);

  /// The leaves whose `.grad` the node's backward may change within its graph, for results that `user` gets; null where it may change
  /// none.
  std::shared_ptr<gradients_in_graph> leaves_in_graph(torch::autograd::Node& node, const call_details& details,
                                                      const std::vector<saved_tensor>& saved, std::thread::id user);
  struct found {
    backward_variant* variant = nullptr;  ///< null: eager autograd computes these gradients
    bool is_captured_now = false;
  };
  /// The variant for these gradients and leaves, captured if it is new. `leaves` becomes null where their gradients are given after the
  /// graph. `is_first_call`: the slot has served no other call than the captured one.
  found find(const tensor_list& gradients, const call_details& details, std::shared_ptr<gradients_in_graph>& leaves, bool is_first_call);
  /// Captures the backward for dense gradients of all outputs. If it fails, that is a warning, and eager autograd takes its place; where it
  /// is `required`, or under `strict`, it throws capture_error.
  void prepare(bool required);

  void stage(backward_variant& variant, const tensor_list& gradients);
  /// What a replay computed, one for each edge of `node`.
  tensor_list gradients(backward_variant& variant, const tensor_list& incoming, const call_details& details,
                        const torch::autograd::Node& node);
  struct cut_edge {
    std::size_t place;
    torch::autograd::Edge edge;
  };
  /// Cuts the node's edges to leaves with hooks that eager would not have come to: the engine calls hooks without a gradient, too.
  std::vector<cut_edge> cut_unreached(torch::autograd::Node& node, const tensor_list& incoming, const tensor_list& gradients) const;
  /// Gives leaves those of them that need not take the engine's way; `leaves` got theirs in the graph. Where the node `keeps_edges`, other
  /// threads may be going back through it.
  void give_to_leaves(backward_variant& variant, torch::autograd::Node& node, tensor_list& gradients, gradients_in_graph* leaves,
                      bool keeps_edges);
  /// The same gradients by eager autograd, over the captured forward's graph, which stays.
  tensor_list run_plainly(const tensor_list& gradients, const call_details& details);

 private:
  std::string pattern_words(const backward_variant& variant) const;
  std::string choose_pattern(const tensor_list& gradients, const call_details& details) const;
  bool are_worth_a_graph(const std::string& pattern, const gradients_in_graph& leaves);
  void warn_of_patterns() const;
  std::unique_ptr<backward_variant> capture(const std::string& pattern, const tensor_list& gradients, const call_details& details,
                                            gradients_in_graph* leaves, bool is_first_call, bool required);
  std::unique_ptr<backward_variant> fail(const recording& seen, const std::string& what, bool required) const;

  const captured_forward forward_;
  reentrant_mutex mutex_;
  std::map<std::string, std::unique_ptr<backward_variant>> variants_;
  std::string unsettled_;            ///< the pattern of a backward that would have added to gradients where no graph has left them
  parked_accumulators parked_;       ///< at the places of the edges
  gradient_homes homes_;             ///< likewise
  std::vector<saved_tensor> spare_;  ///< empty: room for the next call's
  std::atomic<bool> is_tied_to_a_call_{false};
};

}  // namespace graphed
