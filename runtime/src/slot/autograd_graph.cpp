// SPDX-License-Identifier: Apache-2.0
#include "slot/autograd_graph.h"

#include "slot/capture.h"
#include "torch/accumulators.h"
#include "torch/history.h"

#include <graphed/error.h>

#include <ATen/record_function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <unordered_map>

namespace graphed::impl {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

namespace {

using impl_counts = std::unordered_map<c10::TensorImpl*, std::size_t>;

// How often the results hold each of them, and their views each base.
impl_counts expected_holders(const tensor_list& results) {
  impl_counts expected;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& result : results) {
    if (!result.defined()) {
      continue;
    }
    ++expected[result.unsafeGetTensorImpl()];
    const at::Tensor* const base = base_of(result);
    if (base != nullptr && seen.insert(result.unsafeGetTensorImpl()).second) {
      ++expected[base->unsafeGetTensorImpl()];
    }
  }
  return expected;
}

uint32_t version_of(const c10::TensorImpl& impl) { return impl.version_counter().enabled() ? impl.version_counter().current_version() : 0; }

// Those that count together with `counter`.
std::vector<c10::TensorImpl*> sharing(const c10::VariableVersion& counter, const impl_counts& among) {
  std::unordered_map<c10::TensorImpl*, uint32_t> before;
  for (const auto& [impl, count] : among) {
    before.emplace(impl, version_of(*impl));
  }
  const uint32_t now = counter.current_version();
  c10::VariableVersion(counter).bump();
  std::vector<c10::TensorImpl*> found;
  for (const auto& [impl, version] : before) {
    if (version_of(*impl) != version) {
      found.push_back(impl);
    }
  }
  c10::VariableVersion(counter).set_version(now);
  return found;
}

// Takes the counter away from its known holders for a moment: what still holds it is another holder.
bool has_other_holder(const c10::VariableVersion& counter, const std::vector<c10::TensorImpl*>& known) {
  for (auto* impl : known) {
    impl->set_version_counter(c10::VariableVersion(0));
  }
  const bool is_alone = counter.unique();
  for (auto* impl : known) {
    impl->set_version_counter(counter);
  }
  return !is_alone;
}

/// What a callable returned, apart from what autograd may have saved of it.
class result_holders {
 public:
  explicit result_holders(const tensor_list& results) : results_(results), counts_(expected_holders(results)) {}

  /// For each result, whether something besides the list, and the views in it, holds it, its base, or its version counter, as autograd does
  /// with what it saves.
  std::vector<bool> saved() const;
  /// How often the list holds the tensor, and its views do.
  std::size_t count(const at::Tensor& tensor) const;
  /// Whether something besides the list, and the views in it, holds a result with this version counter, or the counter. The caller has the
  /// only other copy of it.
  bool others_hold(const c10::VariableVersion& counter) const;

 private:
  const tensor_list& results_;
  const impl_counts counts_;
};

std::vector<bool> result_holders::saved() const {
  std::vector<bool> saved;
  for (const auto& result : results_) {
    if (!result.defined() || result.is_inference()) {
      saved.push_back(false);
      continue;
    }
    const at::Tensor* base = base_of(result);
    const bool is_held = result.use_count() > count(result) || (base != nullptr && base->use_count() > count(*base));
    const c10::VariableVersion counter = result.unsafeGetTensorImpl()->version_counter();
    const auto known = sharing(counter, counts_);
    saved.push_back(is_held || has_other_holder(counter, known));
  }
  return saved;
}

std::size_t result_holders::count(const at::Tensor& tensor) const {
  const auto found = counts_.find(tensor.unsafeGetTensorImpl());
  return found == counts_.end() ? 0 : found->second;
}

bool result_holders::others_hold(const c10::VariableVersion& counter) const {
  const auto known = sharing(counter, counts_);
  const bool is_result_held = std::any_of(results_.begin(), results_.end(), [&](const at::Tensor& result) {
    return result.defined() && result.use_count() > count(result) &&
           std::find(known.begin(), known.end(), result.unsafeGetTensorImpl()) != known.end();
  });
  return is_result_held || has_other_holder(counter, known);
}

// Whether something besides the results has the tensor's version counter.
bool others_count_versions(const at::Tensor& tensor, const result_holders& holders) {
  auto* impl = tensor.unsafeGetTensorImpl();
  const c10::VariableVersion counter = impl->version_counter();
  impl->set_version_counter(c10::VariableVersion(0));
  const bool do_hold = holders.others_hold(counter);
  impl->set_version_counter(counter);
  return do_hold;
}

std::size_t accumulators_of(const at::Tensor& leaf) { return has_accumulator(leaf) ? 1 : 0; }

// `held`: how often the arguments' lists hold it.
bool is_saved(const at::Tensor& argument, std::size_t held, const result_holders& holders) {
  const std::size_t accumulators = argument.is_leaf() ? accumulators_of(argument) : 0;
  return argument.use_count() > held + holders.count(argument) + accumulators || others_count_versions(argument, holders);
}

// Since `before`, the recording holds what was used of the originals, and the capture's own accumulator its tensor.
bool is_saved(const closure_member& member, std::size_t before, const result_holders& holders) {
  if (!member.stand_in.defined()) {
    const std::size_t expected = (member.used ? 1u : 0u) + (member.accumulator != nullptr ? 1u : 0u) + holders.count(member.tensor);
    return member.tensor.use_count() > before + expected || holders.others_hold(member.version);
  }
  const std::size_t expected = accumulators_of(member.stand_in) + holders.count(member.stand_in);
  return member.stand_in.use_count() > before + expected || others_count_versions(member.stand_in, holders);
}

/// The edges to leaves, by where their gradients go. A `static` argument that is closed over as well is in the argument's memory, and so no
/// tensor from outside to the recording.
class search {
 public:
  search(const captured_callable& made, const static_arguments& arguments, const Inputs& inputs, const earlier_nodes& earlier)
      : made_(made),
        arguments_(arguments.tensors()),
        given_(inputs.tensors()),
        earlier_(earlier),
        to_inputs_(arguments_.size()),
        to_members_(made.closed_over.members().size()) {
    for (const auto& output : made.outputs) {
      visit(output.inner);
    }
    while (!pending_.empty()) {
      const Node* const node = pending_.back();
      pending_.pop_back();
      for (const Edge& edge : node->next_edges()) {
        visit(edge);
      }
    }
  }

  std::vector<gradient_target> targets() const {
    std::vector<gradient_target> found;
    for (const bool is_input : {true, false}) {
      const auto& edges = is_input ? to_inputs_ : to_members_;
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].is_valid()) {
          found.push_back({is_input, i, edges[i]});
        }
      }
    }
    return found;
  }

 private:
  void visit(const Edge& edge) {
    if (!edge.function || !visited_.insert(edge.function.get()).second) {
      return;
    }
    if (const auto* const leaf = dynamic_cast<AccumulateGrad*>(edge.function.get())) {
      note(edge, leaf->variable);
    } else if (earlier_.include(*edge.function)) {
      throw CaptureError("the callable uses a tensor from outside that has a history (" + edge.function->name() +
                         "): pass it as an argument");
    } else {
      pending_.push_back(edge.function.get());
    }
  }

  void note(const Edge& edge, const at::Tensor& leaf) {
    const auto argument =
        std::find_if(arguments_.begin(), arguments_.end(), [&](const at::Tensor& each) { return each.defined() && each.is_same(leaf); });
    if (argument != arguments_.end()) {
      to_inputs_[static_cast<std::size_t>(argument - arguments_.begin())] = edge;
    }
    const auto& members = made_.closed_over.members();
    if (const auto* const member = made_.closed_over.find_captured(leaf)) {
      if (!member->captured().is_same(leaf)) {
        throw needs_originals();
      }
      to_members_[static_cast<std::size_t>(member - members.data())] = edge;
    } else if (std::any_of(given_.begin(), given_.end(), [&](const at::Tensor& each) { return each.is_same(leaf); })) {
      throw unseen_tensors{{leaf}};
    }
  }

  const captured_callable& made_;
  const std::vector<at::Tensor>& arguments_;
  const at::TensorList given_;
  const earlier_nodes& earlier_;
  std::vector<Edge> to_inputs_, to_members_;
  std::unordered_set<const Node*> visited_;
  std::vector<Node*> pending_;
};

}  // namespace

std::vector<std::size_t> use_counts(const closure& members) {
  std::vector<std::size_t> counts;
  for (const auto& member : members.members()) {
    counts.push_back(member.captured().use_count());
  }
  return counts;
}

void find_saved(captured_callable& made, const static_arguments& arguments, const tensor_list& results,
                const std::vector<std::size_t>& before) {
  const result_holders holders(results);
  for (std::size_t i = 0; i < arguments.passed().size(); ++i) {
    const at::Tensor& argument = arguments.passed()[i];
    std::size_t held = 0;
    for (const auto* list : {&arguments.passed(), &arguments.tensors()}) {
      held += static_cast<std::size_t>(
          std::count_if(list->begin(), list->end(), [&](const at::Tensor& each) { return each.is_same(argument); }));
    }
    made.input_saved.push_back(argument.defined() && is_saved(argument, held, holders));
  }
  auto& members = made.closed_over.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].saved = i >= before.size() || is_saved(members[i], before[i], holders);
  }
  made.result_saved = holders.saved();
}

earlier_nodes::earlier_nodes(uint64_t first, const recording& seen) : first_(first), thread_(at::RecordFunction::currentThreadId()) {
  for (const auto& outside : seen.tensors()->all()) {
    if (!outside.written && outside.tensor.grad_fn()) {
      of_tensors_.insert(outside.tensor.grad_fn().get());
    }
  }
}

bool earlier_nodes::include(const Node& node) const {
  return of_tensors_.count(&node) != 0 || (node.thread_id() == thread_ && node.sequence_nr() < first_);
}

std::vector<gradient_target> find_targets(const captured_callable& made, const static_arguments& arguments, const Inputs& inputs,
                                          const earlier_nodes& earlier) {
  return search(made, arguments, inputs, earlier).targets();
}

}  // namespace graphed::impl
