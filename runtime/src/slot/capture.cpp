// SPDX-License-Identifier: Apache-2.0
#include "slot/slot.h"

#include "capture/saved.h"
#include "report/text.h"
#include "torch/autograd_scope.h"
#include "torch/modes.h"
#include "torch/node.h"

#include <graphed/backward_here.h>
#include <graphed/error.h>

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace graphed {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

/// How many hold each member of the closure, to see afterwards whether the captured graph does.
class slot::use_counts {
 public:
  explicit use_counts(const closure& members) {
    for (const auto& member : members.members()) {
      counts_.push_back(member.captured().use_count());
    }
  }
  /// By more than `expected`. A tensor that was not known before counts as grown.
  bool grew(std::size_t index, const at::Tensor& tensor, std::size_t expected) const {
    return index >= counts_.size() || tensor.use_count() > counts_[index] + expected;
  }

 private:
  std::vector<std::size_t> counts_;
};

/// Tells nodes of the callable's from those of a history that was there before.
class slot::earlier_nodes {
 public:
  /// `first` counts on this thread. Nodes that autograd's thread of a device has made, in a backward inside of the callable, are counted
  /// there; a history from before is reached by a tensor that an operator has used.
  earlier_nodes(uint64_t first, const recording& seen) : first_(first), thread_(at::RecordFunction::currentThreadId()) {
    for (const auto& outside : seen.outside_tensors()) {
      if (!outside.written && outside.tensor.grad_fn()) {
        of_tensors_.insert(outside.tensor.grad_fn().get());
      }
    }
  }
  bool include(const Node& node) const {
    return of_tensors_.count(&node) != 0 || (node.thread_id() == thread_ && node.sequence_nr() < first_);
  }

 private:
  const uint64_t first_, thread_;
  std::unordered_set<const Node*> of_tensors_;
};

/// What a callable must leave of an argument as it was: an undefined one has none of it.
struct argument_state {
  explicit argument_state(const at::Tensor& argument) {
    if (argument.defined()) {
      requires_grad = argument.requires_grad();
      storage = argument.storage().unsafeGetStorageImpl();
      offset = argument.storage_offset();
      sizes = argument.sizes().vec();
      strides = argument.strides().vec();
    }
  }
  bool shows_what(const argument_state& other) const {
    return storage == other.storage && offset == other.offset && sizes == other.sizes && strides == other.strides;
  }

  bool requires_grad = false;
  const c10::StorageImpl* storage = nullptr;
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;
};

void slot::capture(const inputs& inputs, const call_details& details, const std::vector<at::Tensor>& known, input_memory memory,
                   captured_on tensors, c10::function_ref<tensor_list(tensor_list&)> body, std::shared_ptr<recording>& seen) {
  for (const auto& tensor : known) {
    closure_.add(tensor);
  }
  captured_on_ = tensors;
  if (tensors == captured_on::stand_ins) {
    closure_.make_stand_ins();
  }
  seen = backend_.make_recording(/*host_tensors_allowed=*/device_.is_cpu(), branches());
  const use_counts before(closure_);
  auto shared = memory == input_memory::shared ? make_shared_inputs(inputs) : std::vector<at::Tensor>(sample_.tensors.size());
  work_ = capture_into_pool("forward", seen, [&](open_capture& capture) {
    seen->watch_random_numbers(device_);  // a capture has states of its own
    make_static_inputs(inputs, details, std::move(shared));
    capture.begin_with(staged_tensors());
    const auto holders = shared_input_holders();
    if (backend_.capture_executes()) {
      stage_inputs(inputs, details);
    }
    const uint64_t first_node = at::sequence_number::peek();
    const gradient_scope gradients(closure_, spec_.step, seen.get());
    tensor_list results = run(inputs, body, *seen);
    returned_ = results.size();
    check_gradients(gradients);
    if (spec_.step) {
      check_history(results);
      const tensor_list made = gradients_.take(gradients);
      results.insert(results.end(), made.begin(), made.end());
    }
    adopt(inputs.tensors(), results, *seen, before, first_node, gradients);
    check_shared_inputs(holders, results);
    gradients_.settle(gradients, closure_, spec_.step);
    check_closure(inputs);
    if (!can_serve(details)) {
      throw capture_error("its results cannot be cut down to those of a smaller call");
    }
    capture.end_with(find_copied_back());
  });
  pool_->add(*this);  // only now: another thread may ask at once when it was captured
  recorded_now_ = backend_.capture_executes();
  work_->pin(static_inputs_);
  work_->pin(arguments_);
  work_->pin(static_live_);
  work_->pin(results_.captured_memory());
  ledger_->update([](statistics& stats) { ++stats.captures; });
}

static at::Tensor with_history(const at::Tensor& leaf) {
  const at::Tensor made = alias_of(leaf);
  const auto node = make_node<torch::autograd::Identity>();
  node->set_next_edges({torch::autograd::impl::gradient_edge(leaf)});
  torch::autograd::impl::set_gradient_edge(made, {node, node->add_input_metadata(made)});
  return made;
}

// A callable cannot write a leaf that requires grad: it writes a copy of it. Of a leaf autocast keeps one cast for all uses.
void slot::make_arguments(const inputs& inputs, recording& seen) {
  arguments_ = static_inputs_;
  const bool has_cached_casts = caches_casts(device_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].defined()) {
      continue;
    }
    seen.add_input(static_inputs_[i], sample_.tensors[i].name, has(i, flags::inplace));
    if (static_inputs_[i].requires_grad() && has(i, flags::inplace) && c10::GradMode::is_enabled()) {
      arguments_[i] = static_inputs_[i].clone();
      seen.add_input(arguments_[i], sample_.tensors[i].name, /*writable=*/true);
    } else if (static_inputs_[i].requires_grad() && has_cached_casts && is_cast_anew(inputs.tensors()[i])) {
      arguments_[i] = with_history(static_inputs_[i]);
      seen.add_input(arguments_[i], sample_.tensors[i].name, has(i, flags::inplace));
    }
  }
  for (const auto& live : static_live_) {
    seen.add_input(live, "a live scalar", /*writable=*/false);
  }
}

tensor_list slot::run(const inputs& inputs, c10::function_ref<tensor_list(tensor_list&)> body, recording& seen) {
  const no_cached_casts forget;
  tensor_list arguments;
  tensor_list results;
  std::vector<argument_state> before;
  {
    const isolated_closure alone(closure_, captured_on_, hooks_of_members());
    std::optional<BackwardHere> no_other_thread;
    if (captured_on_ == captured_on::stand_ins) {
      no_other_thread.emplace();  // of the device, which may be in a backward that waits for this capture
    }
    const recording_scope scope(seen);
    for (const auto& member : closure_.members()) {
      seen.add_held(member.tensor);
      if (member.stand_in.defined()) {
        seen.add_stand_in(member.stand_in, member.tensor);
      }
    }
    make_arguments(inputs, seen);
    arguments = arguments_;
    for (const auto& argument : arguments_) {
      before.emplace_back(argument);
    }
    arguments.insert(arguments.end(), static_live_.begin(), static_live_.end());
    results = body(arguments);
  }
  check_stand_ins(seen);
  for (auto& result : results) {
    const at::Tensor* stand_in = result.defined() ? closure_.pairs().for_original(result) : nullptr;
    result = stand_in != nullptr ? *stand_in : result;
  }
  if (seen.sets_random_state()) {
    throw random_state_error();
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const argument_state after(arguments[i]);
    const std::string name = "its argument '" + std::string(sample_.tensors[i].name) + "'";
    if (!arguments[i].is_same(arguments_[i])) {
      throw capture_error("the callable assigns another tensor to " + name);
    }
    if (!after.shows_what(before[i])) {
      throw capture_error("the callable gives " + name + " other memory, or another shape");
    }
    if (arguments[i].defined() && arguments[i].is_leaf() && after.requires_grad != before[i].requires_grad) {
      throw capture_error("the callable changes whether " + name + " requires grad");
    }
  }
  return results;
}

// A `.grad` that is there as a step begins, and that it only lets go of.
static bool is_dropped(const outside_tensor& outside, const gradient_scope& gradients) {
  return !outside.used && gradients.had(outside.tensor);
}

// Reads the captured forward: what it closes over, where its results lie, where gradients go.
void slot::adopt(at::TensorList arguments, const tensor_list& results, const recording& seen, const use_counts& before, uint64_t first_node,
                 const gradient_scope& gradients) {
  check_known(seen, gradients);
  seen.sources().check_settled();
  sources_ = seen.sources();
  for (const auto& outside : seen.outside_tensors()) {
    if (is_dropped(outside, gradients)) {
      continue;
    }
    closure_.add(outside.tensor);
    closure_member& member = *closure_.find(outside.tensor.unsafeGetTensorImpl());
    member.used = true;
    member.written |= outside.written;
  }
  check_results(results, seen);
  for (const auto& argument : arguments_) {
    argument_written_.push_back(argument.defined() && seen.writes(argument));
  }
  closure_.pin(hooks_of_members());
  note_saved(results, before);
  results_.plan(results, arguments_, closure_.captured_tensors(), pool_->number());
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (argument_written_[i] && !arguments_[i].is_leaf()) {
      node_outputs_.push_back({true, i, torch::autograd::impl::gradient_edge(arguments_[i])});
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results_.plans()[i].differentiable) {
      node_outputs_.push_back({false, i, torch::autograd::impl::gradient_edge(results[i])});
    }
  }
  find_targets(arguments, earlier_nodes(first_node, seen));
}

// Autograd's state of a tensor must be set aside before a capture sees it.
void slot::check_known(const recording& seen, const gradient_scope& gradients) {
  std::vector<at::Tensor> unseen;
  for (const auto& outside : seen.held_outside()) {
    if (closure_.find(outside.tensor.unsafeGetTensorImpl()) == nullptr && !is_dropped(outside, gradients)) {
      unseen.push_back(outside.tensor);
    }
  }
  if (!unseen.empty()) {
    throw unseen_tensors{std::move(unseen)};
  }
  if (const auto abandoned = seen.abandoned_outside(); !abandoned.empty()) {
    throw capture_error(abandoned_text(abandoned.front()));
  }
}

// Whether somebody besides the results has the tensor's version counter.
static bool others_count_versions(const at::Tensor& tensor, const result_holders& holders) {
  auto* impl = tensor.unsafeGetTensorImpl();
  const c10::VariableVersion counter = impl->version_counter();
  impl->set_version_counter(c10::VariableVersion(0));
  const bool do_hold = holders.others_hold(counter);
  impl->set_version_counter(counter);
  return do_hold;
}

// A view that is returned holds its base and shares its version counter, but nothing is saved by that.
void slot::note_saved(const tensor_list& results, const use_counts& before) {
  const result_holders holders(results);
  for (const auto& input : arguments_) {
    if (!input.defined()) {
      input_saved_.push_back(false);
      continue;
    }
    const bool has_accumulator = input.is_leaf() && torch::autograd::impl::try_get_grad_accumulator(input) != nullptr;
    const std::size_t held = input.is_same(static_inputs_[input_saved_.size()]) ? 2 : 1;
    input_saved_.push_back(input.use_count() > held + holders.count(input) + (has_accumulator ? 1 : 0) ||
                           others_count_versions(input, holders));
  }
  auto& members = closure_.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].saved = is_saved(members[i], i, before, holders);
  }
  result_saved_ = holders.saved();
}

// Since `before`, the recording holds what was used of the originals, and the capture's own accumulator its tensor.
bool slot::is_saved(const closure_member& member, std::size_t index, const use_counts& before, const result_holders& holders) {
  if (!member.stand_in.defined()) {
    const std::size_t expected = (member.used ? 1u : 0u) + (member.accumulator != nullptr ? 1u : 0u) + holders.count(member.tensor);
    return before.grew(index, member.tensor, expected) || holders.others_hold(member.version);
  }
  const bool has_accumulator = torch::autograd::impl::try_get_grad_accumulator(member.stand_in) != nullptr;
  const std::size_t expected = (has_accumulator ? 1u : 0u) + holders.count(member.stand_in);
  return before.grew(index, member.stand_in, expected) || others_count_versions(member.stand_in, holders);
}

// Follows the captured graph from the results down to the tensors whose gradients it computes. A `static` argument that is closed over as
// well is in the argument's memory, and so no tensor from outside to the recording.
void slot::find_targets(at::TensorList arguments, const earlier_nodes& earlier) {
  std::vector<Edge> inputs(static_inputs_.size());
  std::vector<Edge> members(closure_.members().size());
  std::unordered_set<const Node*> visited;
  std::vector<Node*> pending;
  const auto visit = [&](const Edge& edge) {
    if (!edge.function || !visited.insert(edge.function.get()).second) {
      return;
    }
    const auto* leaf = dynamic_cast<AccumulateGrad*>(edge.function.get());
    if (leaf == nullptr) {
      if (earlier.include(*edge.function)) {
        throw capture_error("the callable uses a tensor from outside that has a history (" + edge.function->name() +
                            "): pass it as an argument");
      }
      pending.push_back(edge.function.get());
      return;
    }
    for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
      if (static_inputs_[i].defined() && static_inputs_[i].is_same(leaf->variable)) {
        inputs[i] = edge;
      }
    }
    if (const auto* member = closure_.find_captured(leaf->variable)) {
      if (!member->captured().is_same(leaf->variable)) {
        throw needs_originals();
      }
      members[static_cast<std::size_t>(member - closure_.members().data())] = edge;
    } else if (std::any_of(arguments.begin(), arguments.end(), [&](const at::Tensor& each) { return each.is_same(leaf->variable); })) {
      throw unseen_tensors{{leaf->variable}};
    }
  };
  for (const auto& output : node_outputs_) {
    visit(output.inner);
  }
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    for (const Edge& edge : node->next_edges()) {
      visit(edge);
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_valid()) {
      targets_.push_back({true, i, inputs[i]});
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].is_valid()) {
      targets_.push_back({false, i, members[i]});
    }
  }
}

}  // namespace graphed
