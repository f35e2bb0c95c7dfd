// SPDX-License-Identifier: Apache-2.0
#include "capture/result_set.h"

#include "torch/history.h"
#include "torch/hooks.h"
#include "torch/raw_tensors.h"

#include <graphed/error.h>

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace graphed::impl {
namespace {

// The caller's tensor seen as the captured result saw the captured one.
at::Tensor same_view(const at::Tensor& captured, const at::Tensor& of_captured, const at::Tensor& of_caller) {
  const auto offset = captured.storage_offset() - of_captured.storage_offset() + of_caller.storage_offset();
  const at::Tensor view = of_caller.as_strided(captured.sizes(), captured.strides(), offset);
  return captured.is_view() && (captured.requires_grad() || !view.requires_grad()) ? view : view.detach();
}

template <class List, class Is>
std::optional<std::size_t> position(const List& list, Is&& is) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (is(list[i])) {
      return i;
    }
  }
  return std::nullopt;
}

// Whether as_strided on the caller's tensor is what the callable did to the captured one: autograd, hooks and conjugation included.
bool is_plain_view(const at::Tensor& view, const at::Tensor& of) {
  if (view.dtype() != of.dtype() || view.is_conj() != of.is_conj() || view.is_neg() != of.is_neg()) {
    return false;
  }
  if (!c10::GradMode::is_enabled()) {
    return true;
  }
  return is_ordinary_view(view, of) && view.requires_grad() == of.requires_grad() && !has_tensor_hooks(view);
}

void check_view(std::size_t result, const at::Tensor& view, const at::Tensor& of) {
  if (is_plain_view(view, of)) {
    return;
  }
  throw CaptureError("result " + std::to_string(result) +
                     " shares memory with an argument or a tensor from outside, but is not a view of it as " +
                     "autograd knows them: return a clone");
}

// In half the time of alias_of, but for names, which are copied the long way.
at::Tensor alias_over(c10::Storage storage, const at::Tensor& like) {
  if (has_names(like)) {
    at::Tensor tensor = alias_of(like);
    tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(storage));
    return tensor;
  }
  return tensor_over(std::move(storage), like);
}

// Over the same memory: a change through one is a change of both.
at::Tensor sibling_of(const at::Tensor& tensor, const at::Tensor& like) {
  at::Tensor made = alias_over(tensor.storage(), like);
  if (!made.is_inference()) {
    made.unsafeGetTensorImpl()->set_version_counter(tensor.unsafeGetTensorImpl()->version_counter());
  }
  return made;
}

}  // namespace

void result_set::plan(const std::vector<at::Tensor>& results, at::TensorList inputs, const std::vector<at::Tensor>& outside,
                      uint64_t pool) {
  using source = result_plan::source;
  captured_inputs_ = inputs.vec();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const at::Tensor& result = results[i];
    result_plan plan;
    const auto take = [&](source from, std::optional<std::size_t> index) {
      if (plan.from == source::undefined && index) {
        plan.from = from;
        plan.index = *index;
      }
    };
    if (result.defined()) {
      if (result.layout() != at::kStrided || !result.has_storage()) {
        throw CaptureError("result " + std::to_string(i) + " is not a strided tensor");
      }
      const auto is_it = [&](const at::Tensor& each) { return each.is_same(result); };
      const auto is_alias = [&](const at::Tensor& each) { return each.defined() && each.has_storage() && each.is_alias_of(result); };
      take(source::same, position(at::TensorList(results).slice(0, i), is_it));
      take(source::input, position(inputs, is_it));
      take(source::input_view, position(inputs, is_alias));
      take(source::outside, position(outside, is_it));
      take(source::outside_view, position(outside, is_alias));
      if (plan.from == source::undefined) {
        const auto* const storage = result.storage().unsafeGetStorageImpl();
        const auto known = position(memories_, [&](const static_memory& each) { return each.storage() == storage; });
        if (!known) {
          memories_.emplace_back(alias_of(result), pool);
        }
        take(source::memory, known.value_or(memories_.size() - 1));
        plan.differentiable = result.requires_grad();
        plan.is_of_other_mode = result.is_inference() != c10::InferenceMode::is_enabled();
      }
      if (plan.from == source::input_view) {
        check_view(i, result, inputs[plan.index]);
      }
      if (plan.from == source::outside_view) {
        check_view(i, result, outside[plan.index]);
      }
      plan.captured = result;
      shows_outside_ |= plan.from == source::outside || plan.from == source::outside_view;
    }
    plans_.push_back(std::move(plan));
  }
  for (auto& plan : plans_) {
    const auto shows_it = [&](const result_plan& each) { return each.from == source::memory && each.index == plan.index; };
    plan.is_sole = plan.from == source::memory && std::count_if(plans_.begin(), plans_.end(), shows_it) == 1;
  }
}

std::vector<at::Tensor> result_set::captured_memory() const {
  std::vector<at::Tensor> tensors;
  for (const auto& plan : plans_) {
    if (plan.from == result_plan::source::memory) {
      tensors.push_back(plan.captured);
    }
  }
  return tensors;
}

at::Tensor result_set::over_memory(const result_plan& plan, const std::vector<at::Tensor>& made, std::size_t aliased) {
  const std::size_t result = made.size();
  if (result < aliased) {
    return alias_of(plan.captured);
  }
  static_memory& memory = memories_[plan.index];
  std::optional<c10::InferenceMode> mode;  // a gradient is of that of its backward
  if (plan.is_of_other_mode) {
    mode.emplace(plan.captured.is_inference());
  }
  if (plan.is_sole) {
    at::Tensor again = memory.hand_out_again(plan.captured);
    return again.defined() ? again : alias_over(memory.hand_out(), plan.captured);
  }
  for (std::size_t i = aliased; i < result; ++i) {
    if (plans_[i].from == result_plan::source::memory && plans_[i].index == plan.index) {
      return sibling_of(made[i], plan.captured);
    }
  }
  return alias_over(memory.hand_out(), plan.captured);
}

std::vector<at::Tensor> result_set::hand_out(at::TensorList inputs, const std::vector<at::Tensor>& outside, std::size_t aliased) {
  using source = result_plan::source;
  std::vector<at::Tensor> made;
  made.reserve(plans_.size());
  for (const auto& plan : plans_) {
    switch (plan.from) {
      case source::undefined:
        made.emplace_back();
        break;
      case source::memory:
        made.push_back(over_memory(plan, made, aliased));
        break;
      case source::input:
        made.push_back(inputs[plan.index]);
        break;
      case source::outside:
        made.push_back(outside[plan.index]);
        break;
      case source::same:
        made.push_back(made[plan.index]);
        break;
      case source::input_view:
        made.push_back(same_view(plan.captured, captured_inputs_[plan.index], inputs[plan.index]));
        break;
      case source::outside_view:
        made.push_back(same_view(plan.captured, outside[plan.index], outside[plan.index]));
        break;
    }
  }
  return made;
}

void result_set::retain(std::size_t result, const at::Tensor& tensor) {
  const result_plan& plan = plans_[result];
  if (plan.from == result_plan::source::memory && plan.is_sole) {
    memories_[plan.index].retain(tensor);
  }
}

bool result_set::can_wait_for_readers(const overwrite& next) const {
  return std::all_of(memories_.begin(), memories_.end(), [&](const static_memory& memory) { return memory.can_be_overwritten(next); });
}

bool result_set::alive() const {
  return std::any_of(memories_.begin(), memories_.end(), [](const static_memory& memory) { return memory.alive(); });
}

moved_storages result_set::keep(overwrite& next, at::TensorList but) {
  const bool waits = may_have_readers(next);
  if (waits) {
    last_order_ = &next.order;
    last_taker_ = next.stream;
  }
  moved_storages moved;
  for (auto& memory : memories_) {
    const bool is_kept = std::any_of(but.begin(), but.end(), [&](const at::Tensor& tensor) { return memory.is_shown_by(tensor); });
    if (waits) {
      const auto readers = memory.wait_for_readers(next);
      moved += is_kept ? moved_storages() : memory.move(next.order, readers);
    } else if (!is_kept) {
      moved += memory.move(next.order);
    }
  }
  return moved;
}

const static_memory* result_set::shown_by(const at::Tensor& tensor) const {
  if (memory_shown_by(tensor) == nullptr) {
    return nullptr;
  }
  const auto found =
      std::find_if(memories_.begin(), memories_.end(), [&](const static_memory& memory) { return memory.is_shown_by(tensor); });
  return found == memories_.end() ? nullptr : &*found;
}

}  // namespace graphed::impl
