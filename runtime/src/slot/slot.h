// SPDX-License-Identifier: Apache-2.0
//
// One capture of a callable: the static inputs, the forward graph, and a backward graph for each pattern of incoming gradients. It serves
// one call at a time: from the forward until that call's backward has run or its autograd graph is gone.
#pragma once

#include "backend/backend.h"
#include "backward/gradients_in_graph.h"
#include "backward/weight_split.h"
#include "capture/closure.h"
#include "capture/saved.h"
#include "capture/static_memory.h"
#include "capture/step_gradients.h"
#include "report/environment.h"
#include "report/ledger.h"
#include "slot/call_details.h"
#include "slot/saved_tensor.h"
#include "torch/node.h"
#include "torch/parked_accumulators.h"
#include "watch/live_source.h"

#include <graphed/graph.h>
#include <graphed/spec.h>

#include <torch/csrc/autograd/edge.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace graphed {

struct difference;

/// The backward graph for one pattern of incoming gradients.
class backward_variant {
 public:
  /// Moves what callers still hold of the results of this capture and later ones, those of delayed weights included: how many.
  std::size_t keep(backend& backend, uint64_t first_capture);
  /// Whether callers hold such results.
  bool shows_results(uint64_t first_capture = 0) const;

  std::vector<at::Tensor> static_gradients;  ///< one for each of the node's outputs, undefined where no gradient comes
  std::unique_ptr<executable> work;
  result_set results;                                  ///< one for each of the node's edges
  std::vector<bool> copied_for_leaves;                 ///< of those: what no leaf may take over
  bool is_whole = false;                               ///< its gradients come to every node: it needs all that was saved
  std::unordered_set<const c10::StorageImpl*> needed;  ///< otherwise: captured memory that it reads
  std::vector<bool> given;                             ///< of those: what the graph itself gives to leaves, where it gives any
  bool recorded_now = false;
  bool is_staged = false;
  /// Where the gradients of what the callable closes over are delayed: how the backward is split, and the graph of its second part, whose
  /// static gradients are what the first part leaves for it.
  std::unique_ptr<weight_split> split;
  std::unique_ptr<backward_variant> weights;
};

/// Backwards that are captured for one slot, before eager autograd takes the others.
constexpr std::size_t patterns_of_a_slot = 16;

/// For which a backward over originals waits for another thread's capture.
constexpr std::chrono::seconds longest_wait{30};

/// Thrown out of a capture that used tensors from outside which were not known before it: it must be made again, with them known.
struct unseen_tensors {
  std::vector<at::Tensor> tensors;
};

/// Thrown out of a capture where somebody keeps a static input that it shares with others: it must be made again, with inputs of its own.
struct kept_inputs {};

enum class input_memory : uint8_t { own, shared };

class slot : public std::enable_shared_from_this<slot>, private pool_user {
 public:
  slot(std::shared_ptr<const callable_spec> description, const sample_spec& sample, backend& backend, std::shared_ptr<pool> pool,
       c10::Device device, std::shared_ptr<ledger> ledger);
  ~slot();

  /// Captures `body` for a call with these inputs. It gets the static inputs, then the static live scalars. `known` are tensors that the
  /// callable may use besides its arguments. Throws whatever ended the capture, unseen_tensors, kept_inputs or needs_originals, with
  /// nothing left behind; `seen` then tells the last operator. Once only.
  void capture(const inputs& inputs, const call_details& details, const std::vector<at::Tensor>& known, input_memory memory,
               captured_on tensors, c10::function_ref<tensor_list(tensor_list&)> body, std::shared_ptr<recording>& seen);

  /// From now on each operator of a capture comes after the one before. capture() may throw unordered_work otherwise.
  void forbid_branches() { branches_allowed_ = false; }

  /// Whether what the callable closes over is still as it was captured.
  bool valid() const { return closure_.unchanged() && gradients_.unchanged(); }
  /// Whether its backward sets random numbers back to where the captured call began, so that it can serve no other call.
  bool is_tied_to_a_call() const { return is_tied_to_a_call_; }
  /// What host code inside the callable decides on, and what the capture froze of it.
  const live_sources& sources() const { return sources_; }
  /// Whether its results can be cut down to those of a call that is smaller.
  bool can_serve(const call_details& details) const;
  /// For one caller at a time. Nothing while another thread holds results that show its memory: that thread may be about to read them, and
  /// would not see them move.
  slot_lease lease();
  /// Whether its forward, or this backward, may run now: nobody else of its pool has values where it would write.
  /// A capture that was the call itself has run.
  bool may_replay() { return recorded_now_ || pool_->make_way(*this, work_->number(), user_); }
  bool may_replay(const backward_variant& variant) { return variant.recorded_now || pool_->make_way(*this, variant.work->number(), user_); }

  /// The captured result without its tensors, as generated code made it: given once, then kept.
  const std::shared_ptr<const void>& keep_form(const std::shared_ptr<const void>& made) { return made ? form_ = made : form_; }

  /// Captures the backward for dense gradients of all results, where there are any. What was captured so far is no call. If it fails, that
  /// is a warning, and eager autograd takes its place; where it is `required`, or under `strict`, it throws capture_error.
  void prepare_backward(bool required = false);

  void stage(const inputs& inputs, const call_details& details);
  void replay();
  /// After a replay that threw: what a tape's operators have written is the caller's, as eager's is.
  void write_back_partly(const inputs& inputs, const call_details& details);
  bool wants_gradients() const { return !node_outputs_.empty(); }
  /// With a node, the slot stays reserved until the node releases it.
  tensor_list outputs(const inputs& inputs, const std::shared_ptr<const call_details>& details, const owned_node<function>& node);

  /// The leaves whose `.grad` the node's backward may change within its graph; null where it may change none.
  std::shared_ptr<gradients_in_graph> leaves_in_graph(function& node);
  /// The variant for these gradients and leaves, captured if it is new; null where that cannot be. `leaves` becomes null where their
  /// gradients are given after the graph.
  backward_variant* backward(const tensor_list& gradients, const call_details& details, std::shared_ptr<gradients_in_graph>& leaves);
  void stage(backward_variant& variant, const tensor_list& gradients, const call_details& details);
  void replay(backward_variant& variant);
  tensor_list gradients(backward_variant& variant, const tensor_list& incoming, const function& node);
  /// Cuts the node's edges to leaves with hooks that eager would not have come to: the engine calls hooks without a gradient, too.
  void cut_unreached(function& node, const tensor_list& incoming, const tensor_list& gradients) const;
  /// Gives leaves those of them that need not take the engine's way; `leaves` got theirs in the graph.
  void give_to_leaves(backward_variant& variant, function& node, tensor_list& gradients, gradients_in_graph* leaves);
  /// The same gradients by eager autograd, over the captured forward's graph, which stays.
  tensor_list plain_backward(const tensor_list& gradients, const call_details& details);
  /// What a node no longer needs, for the next one.
  void give_back(std::vector<saved_tensor>&& saved);
  /// Throws eager's error if a tensor that the backward needs was modified since; without a variant, that any backward needs.
  void check_versions(const std::vector<saved_tensor>& saved, backward_variant* variant) const;

  // slot_weights.cpp
  /// After a backward whose weights are delayed: the slot stays reserved until backward_weights().
  void wait_for_weights(backward_variant& variant, const function& node);
  /// The turn among all slots at which it began to wait, or 0.
  uint64_t waits_since() const { return waits_since_; }
  /// As engine::backward_weights.
  bool backward_weights();

  const callable_spec& spec() const { return spec_; }
  /// "app::policy backward"
  const std::string& backward_name() const { return backward_name_; }
  /// Compare a call, or its backward, with what the plain callable did, and report the first difference. Under `strict` that throws.
  void verify(const call_details& details, const inputs& inputs, const tensor_list& results) const;
  void verify_backward(const call_details& details, const tensor_list& incoming, const tensor_list& gradients) const;
  std::unique_lock<std::recursive_mutex> lock_backward() { return std::unique_lock(backward_mutex_); }

 private:
  friend class slot_lease;

  void release() noexcept {
    recorded_now_ = false;  // of a call that did not take place
    --holders_;
  }
  /// Of its graphs: the two products of a layer's backward, the networks of a step. More gave nothing, and each multiplies with 32 MiB of
  /// scratch memory.
  std::size_t branches() const { return !branches_allowed_ || environment::get().serial ? 1 : spec_.step ? 4 : 2; }
  /// Where a gradient goes: to an argument, or to a member of the closure.
  struct gradient_target {
    bool is_input;
    std::size_t index;
    torch::autograd::Edge inner;  ///< within the captured graph
  };
  /// A result, or an `inplace` argument, with history.
  struct node_output {
    bool is_input;  ///< those come first
    std::size_t index;
    torch::autograd::Edge inner;
  };
  class use_counts;
  class earlier_nodes;
  struct capture_free {
    std::unique_ptr<capture_lock> process;
    std::unique_ptr<lane_lock> lane;
  };
  /// An argument that is written and whose value the caller's tensor gets.
  struct copied_back {
    std::size_t argument;
    bool in_launch;  ///< of this call
  };
  struct waiting_weights {
    backward_variant* variant;
    std::vector<saved_tensor> saved;
    std::shared_ptr<const call_details> details;
    slot_lease lease;
  };

  bool has(std::size_t input, unsigned flag) const { return (sample_.tensors[input].flags & flag) != 0; }
  capture_lane lane() const { return captured_on_ == captured_on::stand_ins ? capture_lane::usual : capture_lane::with_backwards; }
  leaf_hooks hooks_of_members() const { return spec_.step ? leaf_hooks::run : leaf_hooks::set_aside; }
  bool make_way(uint64_t capture, std::thread::id thread) override;
  /// Without waiting: whoever asks may hold what the thread that goes back waits for.
  std::unique_lock<std::recursive_mutex> try_lock_backward() { return {backward_mutex_, std::try_to_lock}; }
  void report_difference(const char* where, const std::optional<difference>& found) const;
  bool shows_results(uint64_t first_capture = 0) const;
  bool may_share(std::size_t input) const;
  std::vector<at::Tensor> make_shared_inputs(const inputs& inputs);
  std::vector<std::size_t> shared_input_holders() const;
  void check_shared_inputs(const std::vector<std::size_t>& holders_before, const tensor_list& results) const;
  void make_static_inputs(const inputs& inputs, const call_details& details, std::vector<at::Tensor>&& shared);
  std::vector<at::Tensor> staged_tensors() const;
  void make_arguments(const inputs& inputs, recording& seen);
  tensor_list run(const inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body, recording& seen);
  void adopt(at::TensorList arguments, const tensor_list& results, const recording& seen, const use_counts& before, uint64_t first_node,
             const gradient_scope& gradients);
  void check_known(const recording& seen, const gradient_scope& gradients);
  void check_results(const tensor_list& results, const recording& seen) const;
  void check_closure(const inputs& inputs) const;
  void check_stand_ins(const recording& seen) const;
  void check_gradients(const gradient_scope& scope) const;
  void check_history(const tensor_list& results) const;
  void find_targets(at::TensorList arguments, const earlier_nodes& earlier);
  void note_saved(const tensor_list& results, const use_counts& before);
  static bool is_saved(const closure_member& member, std::size_t index, const use_counts& before, const result_holders& holders);
  /// What those results may show of them.
  std::vector<at::Tensor> outside_of(const result_set& results) const;
  void keep_results(uint64_t first_capture);
  tensor_list execute_backward(const tensor_list& gradients);
  void warn_of_patterns() const;
  std::unique_ptr<backward_variant> failed_backward(const recording& seen, const std::string& what, bool required);
  std::string choose_pattern(const tensor_list& gradients, const call_details& details) const;
  std::vector<const torch::autograd::Node*> roots_of(const tensor_list& incoming) const;
  /// Of these edges, those to leaves that the captured backward does not come to from these gradients.
  std::vector<std::size_t> find_unreached(const tensor_list& incoming, std::vector<std::size_t> edges) const;
  bool reach_all_nodes(const tensor_list& incoming) const;
  static std::vector<bool> find_copied_for_leaves(const tensor_list& gradients, const recording& seen);
  bool are_worth_a_graph(const std::string& pattern, const gradients_in_graph& leaves);
  std::unique_ptr<backward_variant> capture_backward(const std::string& pattern, const tensor_list& gradients, const call_details& details,
                                                     gradients_in_graph* leaves, bool required = false);
  tensor_list begin_backward(backward_variant& variant);
  void capture_weights(backward_variant& variant);
  tensor_list replay_weights(const waiting_weights& waiting);
  void accumulate(const tensor_list& gradients) const;
  at::Tensor make_static_gradient(const at::Tensor& gradient, std::size_t output, const call_details& details) const;
  tensor_list own_gradients(tensor_list gradients, const call_details& details) const;
  capture_free keep_out_captures() const;
  tensor_list computed_plainly(const tensor_list& gradients, const call_details& details);
  tensor_list handed_out(backward_variant& variant, const tensor_list& incoming, const call_details& details);
  void stage_inputs(const inputs& inputs, const call_details& details);
  uint64_t copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from);
  uint64_t fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value);
  void stage_gradients(backward_variant& variant, const tensor_list& gradients);
  std::vector<at::Tensor> find_copied_back();
  void stage_write_back(const inputs& inputs);
  /// True where it copied.
  bool write_back(const inputs& inputs, bool copies);
  /// A padded call's. True where it copied.
  bool cut_down(tensor_list& results, const call_details& details) const;
  void retain(const tensor_list& results);
  void connect_arguments(const inputs& inputs, const owned_node<function>& node);
  void connect_results(const tensor_list& results, const owned_node<function>& node);
  void remember_versions(const inputs& inputs, const tensor_list& results, function& node);
  void update_bytes_held();
  std::unique_ptr<executable> capture_into_pool(const char* direction, const std::shared_ptr<recording>& seen,
                                                c10::function_ref<void(open_capture&)> body);

  const std::shared_ptr<const callable_spec> description_;
  const callable_spec& spec_;
  const sample_spec& sample_;
  backend& backend_;
  const c10::Device device_;
  const std::shared_ptr<ledger> ledger_;
  const std::shared_ptr<pool> pool_;  // outlives the work captured into it
  std::unique_ptr<executable> work_;
  std::vector<at::Tensor> static_inputs_;
  std::vector<at::Tensor> arguments_;  ///< what the callable got: the static inputs, or what it may write in their place
  std::vector<at::Tensor> static_live_;
  std::vector<std::size_t> shared_inputs_;  ///< which of them lie in memory of other captures as well
  std::vector<bool> argument_written_;
  std::vector<copied_back> copied_back_;
  std::vector<bool> input_saved_;   ///< the backward needs its value
  std::vector<bool> result_saved_;  ///< likewise
  closure closure_;
  captured_on captured_on_ = captured_on::originals;
  live_sources sources_;
  std::shared_ptr<const void> form_;
  result_set results_;
  std::size_t returned_ = 0;  ///< so many of them; the others are what a step leaves in `.grad`
  step_gradients gradients_;
  std::vector<node_output> node_outputs_;
  std::vector<gradient_target> targets_;
  parked_accumulators parked_;       ///< at the places of the targets
  gradient_homes homes_;             ///< likewise
  std::string unsettled_;            ///< the pattern of a backward that would have added to gradients where no graph has left them
  std::vector<saved_tensor> spare_;  ///< empty: room for the next call's
  std::map<std::string, std::unique_ptr<backward_variant>> variants_;
  bool recorded_now_ = false;
  const std::string backward_name_;
  uint64_t bytes_in_pool_ = 0;  ///< that its captures added, there and to the inputs that are shared
  uint64_t bytes_held_ = 0;
  bool is_staged_ = false;
  uint64_t served_ = 0;  ///< calls: the first one is the captured one
  bool branches_allowed_ = true;
  std::atomic<bool> is_tied_to_a_call_{false};
  std::atomic<int> holders_{0};  ///< leases: of the call that it serves, and of its delayed weights
  std::optional<waiting_weights> waiting_;
  std::atomic<uint64_t> waits_since_{0};
  std::atomic<std::thread::id> user_{};  ///< who reserved it last
  /// Held while a thread goes back, as several may through one node at once: the variants and their results are that thread's then. User
  /// code in a backward may call others of the pool, which ask this slot to make way on the same thread.
  std::recursive_mutex backward_mutex_;
};

}  // namespace graphed
