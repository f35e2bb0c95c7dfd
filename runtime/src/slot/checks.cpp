// SPDX-License-Identifier: Apache-2.0
//
// What a capture has to be for replays to do what the callable did. Each check throws where it is not.
#include "slot/slot.h"

#include "report/text.h"

#include <graphed/error.h>

#include <algorithm>

namespace graphed {

// What the callable does to the tensors themselves, past the operators, does not reach their stand-ins.
void slot::check_stand_ins(const recording& seen) const {
  if (captured_on_ == captured_on::originals) {
    return;
  }
  const auto& members = closure_.members();
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
void slot::check_results(const tensor_list& results, const recording& seen) const {
  std::vector<at::Tensor> unseen;
  for (const auto& result : results) {
    const auto& members = closure_.members();
    const bool is_member = std::any_of(members.begin(), members.end(), [&](const closure_member& member) {
      return member.tensor.has_storage() && result.defined() && result.has_storage() && member.tensor.is_alias_of(result);
    });
    if (result.defined() && result.has_storage() && !is_member && !seen.knows(result)) {
      unseen.push_back(result);
    }
  }
  if (!unseen.empty()) {
    throw unseen_tensors{std::move(unseen)};
  }
}

// Only a step may change `.grad`, and not that of an argument, which would stay the static input's.
void slot::check_gradients(const gradient_scope& scope) const {
  for (const auto& each : scope.gradients()) {
    if (!spec_.step && scope.is_replaced(each)) {
      throw capture_error("it gives a tensor of shape " + text(scope.leaf(each).sizes()) +
                          " another .grad: call backward() outside of it, or mark the annotation `step`");
    }
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].defined() && arguments_[i].is_leaf() && arguments_[i].grad().defined()) {
      throw capture_error(std::string("it gives its argument '") + sample_.tensors[i].name +
                          "' a .grad: use torch::autograd::grad, and return the gradient");
    }
  }
}

void slot::check_history(const tensor_list& results) const {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined() && results[i].requires_grad()) {
      throw capture_error("result " + std::to_string(i) + " of a step has a history: return its detach()");
    }
  }
}

// What a replay could not do again to the tensors that the callable closes over.
void slot::check_closure(const inputs& inputs) const {
  for (const auto& member : closure_.members()) {
    if (!member.written || member.captured().is_leaf()) {
      continue;
    }
    if (captured_on_ == captured_on::originals) {
      member.tensor.detach_();
    }
    throw capture_error("it writes a tensor of shape " + text(member.tensor.sizes()) +
                        " from outside with a history: pass it as an argument");
  }
  for (std::size_t i = 0; i < inputs.tensors().size(); ++i) {
    for (const auto& member : closure_.members()) {
      if ((has(i, flags::inplace) || member.written) && inputs.tensors()[i].defined() && inputs.tensors()[i].is_alias_of(member.tensor)) {
        throw capture_error(std::string("argument '") + sample_.tensors[i].name +
                            "' shares memory with a tensor that it closes over, and one of them is written");
      }
    }
  }
}

}  // namespace graphed
