// SPDX-License-Identifier: Apache-2.0
#include "slot/capture.h"

#include "slot/checks.h"
#include "slot/saved.h"
#include "slot/targets.h"
#include "torch/autograd_scope.h"
#include "torch/history.h"
#include "watch/recorder.h"

#include <graphed/backward_here.h>
#include <graphed/error.h>

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace graphed::impl {
namespace {

// A `.grad` that is there as a step begins, and that it only lets go of.
bool is_dropped(const outside_tensor& outside, const gradient_scope& gradients) { return !outside.used && gradients.had(outside.tensor); }

class forward_capture {
 public:
  forward_capture(capture_site& site, static_arguments& arguments, const capture_task& task, std::shared_ptr<recording>& seen)
      : site_(site), arguments_(arguments), task_(task) {
    for (const auto& tensor : task.known) {
      made_.closed_over.add(tensor);
    }
    made_.tensors = task.tensors;
    if (task.tensors == captured_on::stand_ins) {
      made_.closed_over.make_stand_ins();
    }
    seen = std::make_shared<recording>(recording::purpose::capture, /*host_tensors_allowed=*/site.device.is_cpu());
    seen_ = seen;
  }

  captured_callable run() {
    const auto before = use_counts(made_.closed_over);
    auto shared = task_.memory == input_memory::shared ? arguments_.make_shared(task_.arguments)
                                                       : std::vector<at::Tensor>(site_.sample.tensors.size());
    auto leaves = task_.leaves_of_replaced_gradients;
    leaves.erase(std::remove_if(leaves.begin(), leaves.end(),
                                [&](const at::Tensor& leaf) { return made_.closed_over.find(leaf.unsafeGetTensorImpl()) == nullptr; }),
                 leaves.end());
    made_.work = site_.capture("forward", made_.lane(), seen_, [&](open_capture& capture) {
      seen_->watch_random_numbers(site_.device);  // a capture has states of its own
      arguments_.make(task_.arguments, task_.details, std::move(shared), leaves);
      capture.begin_with(arguments_.staged());
      const auto holders = arguments_.shared_holders();
      if (site_.backend.capture_executes()) {
        arguments_.stage(task_.arguments, task_.details, /*work=*/nullptr);
      }
      const uint64_t first_node = at::sequence_number::peek();
      const gradient_scope gradients(made_.closed_over, site_.spec.step, seen_.get(), arguments_.gradients());
      const tensor_list results = results_of(gradients);
      arguments_.find_written(*seen_);
      capture.end_with(arguments_.find_copied_back());
      adopt(results, before, earlier_nodes(first_node, *seen_), gradients);
      arguments_.check_shared(holders, made_.input_saved, results);
      made_.gradients.settle(gradients, made_.closed_over, site_.spec.step);
      check_closure(site_, made_, task_.arguments);
      if (!made_.can_serve(task_.details)) {
        throw CaptureError("its results cannot be cut down to those of a smaller call");
      }
    });
    arguments_.pin(*made_.work);
    made_.work->pin(made_.results.captured_memory());
    return std::move(made_);
  }

 private:
  // Those of the callable, then what a step has left in `.grad`.
  tensor_list results_of(const gradient_scope& gradients) {
    tensor_list results = run_callable();
    made_.returned = results.size();
    check_gradients(site_, arguments_, gradients);
    if (site_.spec.step) {
      check_step_results(arguments_, results);
      const tensor_list left = made_.gradients.take(gradients);
      results.insert(results.end(), left.begin(), left.end());
    }
    return results;
  }

  leaf_hooks hooks_of_members() const { return site_.spec.step ? leaf_hooks::run : leaf_hooks::set_aside; }

  tensor_list run_callable() {
    const no_cached_casts forget;
    tensor_list given;
    tensor_list results;
    std::vector<at::Tensor> before;
    {
      const isolated_closure alone(made_.closed_over, made_.tensors, hooks_of_members());
      std::optional<BackwardHereGuard> no_other_thread;
      if (made_.tensors == captured_on::stand_ins) {
        no_other_thread.emplace();  // of the device, which may be in a backward that waits for this capture
      }
      const recording_scope scope(*seen_);
      for (const auto& member : made_.closed_over.members()) {
        seen_->tensors()->add_held(member.tensor, member.stand_in);
      }
      arguments_.make_passed(task_.arguments, *seen_);
      given = arguments_.passed();
      for (const auto& argument : given) {
        before.push_back(argument.defined() ? alias_of(argument).set_requires_grad(argument.requires_grad()) : argument);
      }
      given.insert(given.end(), arguments_.live().begin(), arguments_.live().end());
      results = task_.body(given);
    }
    check_stand_ins(made_, *seen_);
    for (auto& result : results) {
      const at::Tensor* const stand_in = result.defined() ? made_.closed_over.pairs().for_original(result) : nullptr;
      result = stand_in != nullptr ? *stand_in : result;
    }
    seen_->check_complete();
    for (std::size_t i = 0; i < before.size(); ++i) {
      check_argument(given[i], arguments_.passed()[i], before[i], site_.sample.tensors[i].name);
    }
    return results;
  }

  // Reads the captured forward: what it closes over, where its results lie, where gradients go.
  void adopt(const tensor_list& results, const std::vector<std::size_t>& before, const earlier_nodes& earlier,
             const gradient_scope& gradients) {
    check_known(gradients);
    seen_->sources().check_settled();
    made_.sources = seen_->sources();
    for (const auto& outside : seen_->tensors()->all()) {
      if (is_dropped(outside, gradients)) {
        continue;
      }
      made_.closed_over.add(outside.tensor);
      closure_member& member = *made_.closed_over.find(outside.tensor.unsafeGetTensorImpl());
      member.used = true;
      member.written |= outside.written;
    }
    check_results(made_, results, *seen_);
    made_.closed_over.pin(hooks_of_members());
    find_saved(made_, arguments_, results, before);
    made_.results.plan(results, arguments_.passed(), made_.closed_over.captured_tensors(), site_.pool->number());
    find_outputs(results);
    made_.targets = find_targets(made_, arguments_, task_.arguments, earlier);
    made_.find_parts();
  }

  // Autograd's state of a tensor must be set aside before a capture sees it.
  void check_known(const gradient_scope& gradients) const {
    std::vector<at::Tensor> unseen;
    for (const auto& outside : seen_->held_outside()) {
      if (made_.closed_over.find(outside.tensor.unsafeGetTensorImpl()) == nullptr && !is_dropped(outside, gradients)) {
        unseen.push_back(outside.tensor);
      }
    }
    if (!unseen.empty()) {
      throw unseen_tensors{std::move(unseen)};
    }
    if (const std::string abandoned = seen_->tensors()->abandoned(); !abandoned.empty()) {
      throw CaptureError(abandoned);
    }
  }

  void find_outputs(const tensor_list& results) {
    const auto& passed = arguments_.passed();
    for (std::size_t i = 0; i < passed.size(); ++i) {
      if (arguments_.is_written(i) && !passed[i].is_leaf()) {
        made_.outputs.push_back({true, i, edge_to(passed[i])});
      }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (made_.results.plans()[i].differentiable) {
        made_.outputs.push_back({false, i, edge_to(results[i])});
      }
    }
  }

  capture_site& site_;
  static_arguments& arguments_;
  const capture_task& task_;
  std::shared_ptr<recording> seen_;
  captured_callable made_;
};

}  // namespace

captured_callable capture(capture_site& site, static_arguments& arguments, const capture_task& task, std::shared_ptr<recording>& seen) {
  return forward_capture(site, arguments, task, seen).run();
}

}  // namespace graphed::impl
