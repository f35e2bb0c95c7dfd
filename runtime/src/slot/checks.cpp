// SPDX-License-Identifier: Apache-2.0
#include "slot/checks.h"

#include "report/text.h"
#include "slot/capture.h"

#include <graphed/error.h>

#include <algorithm>
#include <string>

namespace graphed::impl {

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

void check_step_results(const static_arguments& arguments, const tensor_list& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined() && results[i].requires_grad()) {
      throw CaptureError("result " + std::to_string(i) + " of a step has a history: return its detach()");
    }
    for (const auto& gradient : arguments.gradients()) {
      if (results[i].defined() && results[i].has_storage() && results[i].is_alias_of(gradient.copy)) {
        throw CaptureError("result " + std::to_string(i) +
                           " of a step shows a .grad that is another tensor on each call: return its clone()");
      }
    }
  }
}

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

}  // namespace graphed::impl
