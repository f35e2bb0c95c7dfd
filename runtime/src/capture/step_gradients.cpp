// SPDX-License-Identifier: Apache-2.0
#include "capture/step_gradients.h"

#include "backend/staging.h"
#include "report/text.h"
#include "torch/history.h"
#include "watch/recording.h"

#include <algorithm>

namespace graphed::impl {
namespace {

// zero_grad makes another handle of the same memory.
bool shows_the_same(const at::Tensor& one, const at::Tensor& other) {
  if (!one.defined() || !other.defined()) {
    return one.defined() == other.defined();
  }
  return one.is_same(other) || (one.layout() == at::kStrided && other.layout() == at::kStrided && one.is_alias_of(other) &&
                                one.const_data_ptr() == other.const_data_ptr() && one.sizes() == other.sizes() &&
                                one.strides() == other.strides() && one.scalar_type() == other.scalar_type());
}

bool can_take_the_place(const at::Tensor& gradient, const at::Tensor& copy) {
  return gradient.defined() && can_be_copied(gradient) && gradient.sizes() == copy.sizes() && gradient.strides() == copy.strides() &&
         gradient.scalar_type() == copy.scalar_type() && gradient.device() == copy.device();
}

// What else shows a gradient's memory does not see what a capture adds to the copy.
void check_sole_use(const gradient_scope& scope, const closure& members, const at::Tensor& gradient) {
  const auto shows = [&](const at::Tensor& other) { return other.has_storage() && other.is_alias_of(gradient); };
  const auto& used = members.members();
  const auto& all = scope.gradients();
  if (std::any_of(used.begin(), used.end(), [&](const auto& each) { return each.used && shows(each.tensor); }) ||
      std::count_if(all.begin(), all.end(), [&](const auto& each) { return each.copy.defined() && shows(each.before); }) > 1) {
    throw CaptureError(not_its_own_text(gradient.sizes()));
  }
}

}  // namespace

std::string not_its_own_text(at::IntArrayRef shape) {
  return "the .grad of a tensor of shape " + text(shape) +
         " is a different tensor on each call, for example after zero_grad(), and others show its memory, as that of a buffer for several "
         "gradients: "
         "keep "
         "it by zero_grad(/*set_to_none=*/false), or mark the callable that computes it `grads = in_graph`";
}

bool can_be_copied(const at::Tensor& gradient) {
  return gradient.layout() == at::kStrided && gradient.is_non_overlapping_and_dense() && has_values_in_memory(gradient) &&
         gradient.storage().nbytes() == gradient.nbytes();
}

gradient_scope::gradient_scope(const closure& members, bool is_step, const recording* capture, const std::vector<replaced_gradient>& copies)
    : members_(members), is_step_(is_step), capture_(capture) {
  for (std::size_t i = 0; i < members.members().size(); ++i) {
    const at::Tensor& tensor = members.members()[i].tensor;
    if (!tensor.is_leaf()) {
      continue;
    }
    const auto copied = std::find_if(copies.begin(), copies.end(), [&](const replaced_gradient& each) { return each.of.is_same(tensor); });
    const bool is_copied = copied != copies.end();
    gradients_.push_back({i, tensor.grad(), is_copied ? copied->copy : at::Tensor(), is_copied && copied->place != nullptr});
    if (is_copied) {
      tensor.mutable_grad() = copied->copy;
    }
  }
}

gradient_scope::~gradient_scope() {
  for (const auto& each : gradients_) {
    if (is_to_be_put_back(each)) {
      leaf(each).mutable_grad() = each.before;
    }
  }
  if (capture_ == nullptr) {
    return;
  }
  const auto all = capture_->tensors()->all();
  for (const auto& outside : all) {
    if (outside.tensor.is_leaf() && outside.tensor.grad().defined() &&
        capture_->tensors()->origin_of(outside.tensor.grad()) == origin::inside) {
      outside.tensor.mutable_grad().reset();
    }
  }
}

bool gradient_scope::had(const at::Tensor& gradient) const {
  return std::any_of(gradients_.begin(), gradients_.end(), [&](const auto& each) { return each.before.is_same(gradient); });
}

bool gradient_scope::is_replaced(const gradient& each) const {
  const at::Tensor& now = leaf(each).grad();
  return !shows_the_same(now, each.copy.defined() ? each.copy : each.before) &&
         (is_step_ || each.before.defined() || capture_->tensors()->origin_of(now) != origin::unknown);
}

bool gradient_scope::is_to_be_put_back(const gradient& each) const {
  const at::Tensor& now = leaf(each).grad();
  return !now.is_same(each.before) && (is_step_ || capture_->tensors()->origin_of(now.defined() ? now : each.before) != origin::unknown);
}

std::vector<at::Tensor> step_gradients::take(const gradient_scope& scope) {
  std::vector<at::Tensor> made;
  for (const auto& each : scope.gradients()) {
    if (scope.is_replaced(each)) {
      replaced_.push_back(scope.leaf(each));
      made.push_back(scope.leaf(each).grad());
    }
  }
  return made;
}

void step_gradients::settle(const gradient_scope& scope, const closure& members, bool is_step) {
  for (const auto& each : scope.gradients()) {
    const auto* known = each.before.defined() ? members.find(each.before.unsafeGetTensorImpl()) : nullptr;
    const bool is_used = known != nullptr && known->used;
    // A parameter, frozen or not: the step would have added to a `.grad` that was there, dropped it, or stepped by it.
    const bool must_be_none = is_step && !each.before.defined() && has_autograd_state(scope.leaf(each));
    if (each.copy.defined()) {
      check_sole_use(scope, members, each.before);
      relied_.push_back({scope.leaf(each), each.copy, each.is_in_place ? relied_on::place : relied_on::copy});
    } else if (is_used || must_be_none) {
      relied_.push_back({scope.leaf(each), each.before, relied_on::itself});
    }
  }
}

bool step_gradients::unchanged() const {
  return std::all_of(relied_.begin(), relied_.end(), [](const relied_gradient& each) {
    const at::Tensor& now = each.of.grad();
    switch (each.how) {
      case relied_on::itself:
        return shows_the_same(now, each.gradient);
      case relied_on::copy:
        return can_take_the_place(now, each.gradient);
      case relied_on::place:
        return can_take_the_place(now, each.gradient) && now.const_data_ptr() == each.gradient.const_data_ptr();
    }
    return false;
  });
}

bool step_gradients::came_or_went() const {
  return std::any_of(relied_.begin(), relied_.end(),
                     [](const relied_gradient& each) { return each.of.grad().defined() != each.gradient.defined(); });
}

std::vector<at::Tensor> step_gradients::leaves() const {
  std::vector<at::Tensor> all;
  for (const relied_gradient& each : relied_) {
    if (each.of.requires_grad()) {
      all.push_back(each.of);
    }
  }
  return all;
}

bool step_gradients::left_place() const {
  return std::any_of(relied_.begin(), relied_.end(), [](const relied_gradient& each) {
    const at::Tensor& now = each.of.grad();
    return each.how == relied_on::place && can_take_the_place(now, each.gradient) && now.const_data_ptr() != each.gradient.const_data_ptr();
  });
}

void step_gradients::drop() const {
  for (const auto& owner : replaced_) {
    const bool is_relied_on =
        std::any_of(relied_.begin(), relied_.end(), [&](const relied_gradient& each) { return each.of.is_same(owner); });
    if (!is_relied_on) {
      owner.mutable_grad().reset();
    }
  }
}

void step_gradients::install(const std::vector<at::Tensor>& gradients) const {
  for (std::size_t i = 0; i < replaced_.size(); ++i) {
    replaced_[i].mutable_grad() = gradients[i];
  }
}

}  // namespace graphed::impl
