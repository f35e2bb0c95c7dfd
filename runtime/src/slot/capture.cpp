// SPDX-License-Identifier: Apache-2.0
#include "slot/capture.h"

#include "report/text.h"
#include "slot/autograd_graph.h"
#include "torch/history.h"
#include "torch/modes.h"
#include "watch/compiled_work.h"
#include "watch/recorder.h"

#include <graphed/backward_here.h>
#include <graphed/error.h>

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {
namespace {

// A `.grad` that is there as a step begins, and that it only lets go of.
bool is_dropped(const outside_tensor& outside, const gradient_scope& gradients) { return !outside.used && gradients.had(outside.tensor); }

// Throws needs_originals, where the callable did to the tensors themselves, past the operators, what does not reach their stand-ins.
void check_stand_ins(const captured_callable& made, const recording& seen) {
  if (made.tensors == captured_on::originals) {
    return;
  }
  const auto& members = made.closed_over.members();
  const bool is_apart = std::any_of(members.begin(), members.end(), [](const closure_member& member) {
    const at::Tensor& stand_in = member.captured();
    return stand_in.requires_grad() != member.tensor.requires_grad() || stand_in.sizes() != member.tensor.sizes() ||
           (stand_in.has_storage() && !stand_in.is_alias_of(member.tensor));
  });
  if (is_apart || seen.goes_back()) {
    throw needs_originals();
  }
}

// A result that no operator has touched is a tensor from outside.
void check_results(const captured_callable& made, const tensor_list& results, const recording& seen) {
  std::vector<at::Tensor> unseen;
  for (const auto& result : results) {
    const auto& members = made.closed_over.members();
    const bool is_member = std::any_of(members.begin(), members.end(), [&](const closure_member& member) {
      return member.tensor.has_storage() && result.defined() && result.has_storage() && member.tensor.is_alias_of(result);
    });
    if (result.defined() && result.has_storage() && !is_member && seen.tensors()->origin_of(result) == origin::unknown) {
      unseen.push_back(result);
    }
  }
  if (!unseen.empty()) {
    throw unseen_tensors{std::move(unseen)};
  }
}

void check_bodies(const tensor_list& results, recording& seen) {
  const auto of_bodies = seen.bodies();
  if (std::any_of(results.begin(), results.end(), [&](const at::Tensor& each) { return of_bodies->is_of_another_body(each); })) {
    throw CaptureError(
        "it returns, or leaves in a member or a .grad, a tensor that a body of graphed::if_else or graphed::while_loop has made or was "
        "given, and has not returned: each replay would give that of the last body. Return it from the body");
  }
  of_bodies->forget_gone_handles();
}

// The caller's tensor has other strides than the one that a result is a view of.
void check_views(const result_set& results, const recording& seen) {
  for (std::size_t i = 0; i < results.plans().size(); ++i) {
    const result_plan& plan = results.plans()[i];
    const bool is_view = plan.from == result_plan::source::input_view;
    if (const std::string* const input = is_view ? seen.tensors()->shows_smaller_gaps(plan.captured) : nullptr) {
      throw CaptureError("result " + std::to_string(i) + " is a view of '" + *input +
                         "', which has other strides in a graph: pass its contiguous(), or return a clone()");
    }
  }
}

// Only a step may change `.grad`, and not that of an argument, which would stay the static input's.
void check_gradients(const capture_site& site, const static_arguments& arguments, const gradient_scope& scope) {
  for (const auto& each : scope.gradients()) {
    if (!site.spec.step && scope.is_replaced(each)) {
      throw CaptureError("it gives a tensor of shape " + text(scope.leaf(each).sizes()) +
                         " another .grad: call backward() outside of it, or mark the annotation `step`");
    }
  }
  for (std::size_t i = 0; i < arguments.passed().size(); ++i) {
    const at::Tensor& argument = arguments.passed()[i];
    if (argument.defined() && argument.is_leaf() && argument.grad().defined()) {
      throw CaptureError(std::string("it gives its argument '") + site.sample.tensors[i].name +
                         "' a .grad: use torch::autograd::grad, and return the gradient");
    }
  }
}

// What a step returns has no history, and is not a copy of a `.grad`.
void check_step_results(const static_arguments& arguments, const tensor_list& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined() && results[i].requires_grad()) {
      throw CaptureError("result " + std::to_string(i) + " of a step has a history: return its detach()");
    }
    for (const auto& gradient : arguments.gradients()) {
      if (results[i].defined() && results[i].has_storage() && results[i].is_alias_of(gradient.copy)) {
        throw CaptureError("result " + std::to_string(i) +
                           " of a step shows a .grad that is a different tensor on each call: return its clone()");
      }
    }
  }
}

// What a replay could not do again to the tensors that the callable closes over.
void check_closure(const capture_site& site, const captured_callable& made, const Inputs& inputs) {
  for (const auto& member : made.closed_over.members()) {
    if (!member.written || member.captured().is_leaf()) {
      continue;
    }
    if (made.tensors == captured_on::originals) {
      member.tensor.detach_();
    }
    throw CaptureError("it writes a tensor of shape " + text(member.tensor.sizes()) +
                       " from outside with a history: pass it as an argument");
  }
  for (std::size_t i = 0; i < inputs.tensors().size(); ++i) {
    for (const auto& member : made.closed_over.members()) {
      if ((site.has(i, flags::inplace) || member.written) && inputs.tensors()[i].defined() &&
          inputs.tensors()[i].is_alias_of(member.tensor)) {
        throw CaptureError(std::string("argument '") + site.sample.tensors[i].name +
                           "' shares memory with a tensor that it closes over, and one of them is written");
      }
    }
  }
}

// `now` is what the callable has left instead of the argument `passed`, which was like `before`.
void check_argument(const at::Tensor& now, const at::Tensor& passed, const at::Tensor& before, const std::string& name) {
  if (!now.is_same(passed)) {
    throw CaptureError("the callable assigns another tensor to its argument '" + name + "'");
  }
  if (!now.defined()) {
    return;
  }
  if (!now.is_alias_of(before) || now.storage_offset() != before.storage_offset() || now.sizes() != before.sizes() ||
      now.strides() != before.strides()) {
    throw CaptureError("the callable gives its argument '" + name + "' other memory, or another shape");
  }
  if (now.is_leaf() && now.requires_grad() != before.requires_grad()) {
    throw CaptureError("the callable changes whether its argument '" + name + "' requires grad");
  }
}

class forward_capture {
 public:
  forward_capture(capture_site& site, static_arguments& arguments, host_transfer& host, const capture_task& task,
                  std::shared_ptr<recording>& seen)
      : site_(site), arguments_(arguments), host_(host), task_(task) {
    for (const auto& tensor : task.known) {
      made_.closed_over.add(tensor);
    }
    made_.tensors = task.tensors;
    if (task.tensors == captured_on::stand_ins) {
      made_.closed_over.make_stand_ins();
    }
    seen = std::make_shared<recording>(recording::purpose::capture, /*host_tensors_allowed=*/site.device.is_cpu());
    if (site.spec.host_values) {
      seen->take_host_reads(task.given, task.shown != nullptr && task.shown->narrows);
    }
    seen->host_parts().expect(task.host_parts);
    seen->put_first(task.bodies_run);
    if (site.spec.host_values && task.given != last_placeholders && site.backend.capture_executes()) {
      seen->host_parts().skip(site.device);
    }
    seen_ = seen;
  }

  captured_callable run() {
    const auto before = use_counts(made_.closed_over);
    auto shared = task_.memory == input_memory::shared ? arguments_.make_shared(task_.arguments)
                                                       : std::vector<at::Tensor>(site_.sample.tensors.size());
    const bool has_shared = std::any_of(shared.begin(), shared.end(), [](const at::Tensor& each) { return each.defined(); });
    auto leaves = task_.leaves_of_replaced_gradients;
    leaves.erase(std::remove_if(leaves.begin(), leaves.end(),
                                [&](const at::Tensor& leaf) { return made_.closed_over.find(leaf.unsafeGetTensorImpl()) == nullptr; }),
                 leaves.end());
    made_.work = site_.capture("forward", made_.lane(), seen_, [&](open_capture& capture) {
      arguments_.make(task_.arguments, task_.details, std::move(shared), leaves, task_.gradients_in_place);
      check_gradients_seen_by_host_parts();
      capture.begin_with(host_.add_to(arguments_.staged()), host_.bytes_of_arguments(arguments_.tensors()));
      seen_->watch_random_numbers(site_.device);  // a capture has states of its own
      if (site_.backend.capture_executes()) {
        arguments_.stage(task_.arguments, task_.details, /*work=*/nullptr);
      }
      if (site_.spec.step) {
        seen_->watch_gradients(task_.known);
      }
      const uint64_t first_node = at::sequence_number::peek();
      const gradient_scope gradients(made_.closed_over, site_.spec.step, seen_.get(), arguments_.gradients());
      const tensor_list results = results_of(gradients);
      arguments_.find_written(*seen_);
      if (host_.delivers()) {
        capture.deliver(host_.plan(results, made_.returned - task_.members));
      }
      capture.end_with(arguments_.find_copied_back());
      adopt(results, before, earlier_nodes(first_node, *seen_), gradients);
      arguments_.check_shared(made_.input_saved, results);
      if (has_shared && !seen_->host_parts().all().empty()) {
        throw kept_inputs();  // other graphs replay while a host part runs, which no warm-up has come to
      }
      made_.gradients.settle(gradients, made_.closed_over, site_.spec.step);
      check_closure(site_, made_, task_.arguments);
      if (!made_.can_serve(task_.details)) {
        throw CaptureError("its results cannot be cut down to those of a smaller call");
      }
      if (made_.gives_history_to_view(task_.arguments)) {
        throw CaptureError("gradients go through an argument that it writes and that is a view of another tensor");
      }
      task_.agree(*seen_);
    });
    made_.may_change_results = made_.work->may_change_results();
    host_.make_ring(arguments_.tensors());
    arguments_.pin(*made_.work);
    made_.work->pin(made_.results.captured_memory());
    return std::move(made_);
  }

 private:
  // A copy in the place of a `.grad` goes back after the last piece.
  void check_gradients_seen_by_host_parts() const {
    const auto& all = arguments_.gradients();
    const auto copied = std::find_if(all.begin(), all.end(), [](const replaced_gradient& each) { return each.place == nullptr; });
    if (!task_.host_parts.empty() && copied != all.end()) {
      throw CaptureError(
          "it has host parts, and the .grad of a tensor of shape " + text(copied->of.sizes()) +
          " is a different tensor on each call, for example after zero_grad(): keep it with zero_grad(/*set_to_none=*/false)");
    }
  }

  // Those of the callable, then what a step has left in `.grad`.
  tensor_list results_of(const gradient_scope& gradients) {
    tensor_list results = run_callable();
    seen_->note_results(results);
    made_.returned = results.size();
    check_gradients(site_, arguments_, gradients);
    if (site_.spec.step) {
      check_step_results(arguments_, results);
      const tensor_list left = made_.gradients.take(gradients);
      results.insert(results.end(), left.begin(), left.end());
    }
    check_bodies(results, *seen_);
    return results;
  }

  leaf_hooks hooks_of_members() const { return site_.spec.step ? leaf_hooks::run : leaf_hooks::set_aside; }

  tensor_list run_callable() {
    const no_cached_casts forget;
    std::shared_ptr<compiled_work> compiled;
    tensor_list given;
    tensor_list results;
    std::vector<at::Tensor> before;
    {
      const isolated_closure alone(made_.closed_over, made_.tensors, hooks_of_members());
      std::optional<BackwardHereGuard> no_other_thread;
      if (made_.tensors == captured_on::stand_ins) {
        no_other_thread.emplace();  // of the device, which may be in a backward that waits for this capture
      }
      seen_->run_from(call_stack::depth());
      const recording_scope scope(seen_);
      for (const auto& member : made_.closed_over.members()) {
        seen_->tensors()->add_held(member.tensor, member.stand_in);
      }
      arguments_.make_passed(task_.arguments, *seen_);
      given = arguments_.passed();
      compiled = compiled_work::watch(*seen_, site_.device, given);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const at::Tensor& argument = given[i];
        before.push_back(argument.defined() ? alias_of(argument).set_requires_grad(argument.requires_grad()) : argument);
        if (argument.defined()) {
          seen_->note_argument(argument, i);
        }
      }
      given.insert(given.end(), arguments_.live().begin(), arguments_.live().end());
      results = task_.body(given);
      host_.make_dense(results, results.size() - task_.members);
    }
    check_stand_ins(made_, *seen_);
    for (auto& result : results) {
      const at::Tensor* const stand_in = result.defined() ? made_.closed_over.pairs()->for_original(result) : nullptr;
      result = stand_in != nullptr ? *stand_in : result;
    }
    seen_->check_complete();
    if (const std::string objection = compiled ? compiled->objection(results) : ""; !objection.empty()) {
      throw CaptureError(objection);
    }
    check_reads(results);
    for (std::size_t i = 0; i < before.size(); ++i) {
      check_argument(given[i], arguments_.passed()[i], before[i], site_.sample.tensors[i].name);
    }
    return results;
  }

  // That the callable does nothing with the numbers that it reads of tensors but return them.
  void check_reads(const tensor_list& results) const {
    const host_reads_of_run* const reads = seen_->host_reads();
    if (reads == nullptr || (reads->all().empty() && !seen_->host_parts().has_skipped())) {
      return;
    }
    rehearsal now(task_.given, seen_->trace(), results, *reads);
    if (task_.shown != nullptr) {
      now.check_same(*task_.shown);
    }
    now.narrows = task_.given == placeholders::large || (task_.shown != nullptr && task_.shown->narrows);
    if (task_.given != last_placeholders) {
      throw rehearsed{std::move(now)};
    }
  }

  // Reads the captured forward: what it closes over, where its results are, where gradients go.
  void adopt(const tensor_list& results, const std::vector<std::size_t>& before, const earlier_nodes& earlier,
             const gradient_scope& gradients) {
    check_known(gradients);
    seen_->sources().check_settled();
    made_.sources = seen_->sources();
    made_.host_parts = seen_->host_parts().parts();
    made_.has_branches = seen_->has_branch_with_gradient();
    for (const auto& outside : seen_->tensors()->all()) {
      if (is_dropped(outside, gradients)) {
        continue;
      }
      closure_member& member = made_.closed_over.add(outside.tensor);
      member.used = true;
      member.written |= outside.written;
    }
    check_results(made_, results, *seen_);
    made_.closed_over.pin(hooks_of_members());
    find_saved(made_, arguments_, results, before);
    made_.results.plan(results, arguments_.passed(), made_.closed_over.captured_tensors(), site_.pool->number());
    check_views(made_.results, *seen_);
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
  host_transfer& host_;
  const capture_task& task_;
  std::shared_ptr<recording> seen_;
  captured_callable made_;
};

}  // namespace

captured_callable capture(capture_site& site, static_arguments& arguments, host_transfer& host, const capture_task& task,
                          std::shared_ptr<recording>& seen) {
  return forward_capture(site, arguments, host, task, seen).run();
}

}  // namespace graphed::impl
