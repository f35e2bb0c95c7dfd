// SPDX-License-Identifier: Apache-2.0
#include "watch/body_memory.h"

#include "torch/tensors_of.h"
#include "watch/body.h"
#include "watch/outside_watch.h"

#include <graphed/error.h>

#include <c10/core/GradMode.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace graphed::impl {
namespace {

constexpr const char* a_body = "a body of graphed::if_else or graphed::while_loop";

bool is_under_way(uint64_t visit) {
  for (const body_place* each = current_body(); each != nullptr; each = each->outer) {
    if (each->visit == visit || each->also == visit) {
      return true;
    }
  }
  return false;
}

std::vector<const c10::TensorImpl*> handles_in(const operator_call& call) {
  std::vector<const c10::TensorImpl*> found;
  for (const auto& argument : call.arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) { found.push_back(tensor.unsafeGetTensorImpl()); });
  }
  return found;
}

std::vector<const c10::StorageImpl*> memory_in(const operator_call& call) {
  std::vector<const c10::StorageImpl*> found;
  for (const auto& argument : call.arguments) {
    if (argument.isStorage()) {
      found.push_back(argument.toStorage().unsafeGetStorageImpl());
    }
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (tensor.defined()) {
        found.push_back(storage_of(tensor));
      }
    });
  }
  return found;
}

template <class Value>
bool holds(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool has_history(const operator_call& call) {
  bool found = false;
  for (const auto& argument : call.arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) { found |= tensor.defined() && tensor.requires_grad(); });
  }
  return found;
}

}  // namespace

void body_memory::before(const operator_call& call) {
  written_.clear();
  if (memory_.empty() && handles_.empty() && !inside_body()) {
    return;
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      if (is_of_another_body(tensor)) {
        throw CaptureError("operator " + full_name(call.op) + " uses a tensor that " + a_body +
                           " has made or was given, and has not returned: each replay would use that of the last body. Return it");
      }
    });
    if (inside_body()) {
      check_write(call, i);
    }
  }
}

static CaptureError changed_shape(const operator_call& call) {
  return CaptureError("operator " + full_name(call.op) + " changes the shape of a tensor from outside of " + a_body +
                      ", which a capture does whichever body a replay chooses: return a tensor of that shape");
}

void body_memory::check_condition(const operator_call& call, const at::Tensor& written) const {
  if (!is_made_in_condition(written)) {
    throw CaptureError("operator " + full_name(call.op) +
                       " writes a tensor in the condition of graphed::while_loop, which a graph evaluates once more than eager mode "
                       "where the loop ends at its most: write it in the body");
  }
}

void body_memory::undeclared_write(const operator_call& call, const at::Tensor& argument) {
  if (inside_body() && !is_made_by(*current_body(), argument)) {
    check_condition(call, argument);
  }
}

void body_memory::check_write(const operator_call& call, std::size_t index) {
  const access how = access_to_argument(call, index);
  if (how == access::read) {
    return;
  }
  const bool changes_shape = call.op.hasTag(at::Tag::inplace_view);
  const bool changes_history = c10::GradMode::is_enabled() && has_history(call);
  for_each_tensor(call.arguments[index], [&](const at::Tensor& tensor) {
    if (!tensor.defined() || is_made_by(*current_body(), tensor)) {
      return;
    }
    check_condition(call, tensor);
    if (how == access::hidden_write) {
      return;
    }
    if (changes_shape && handles_.count(tensor.unsafeGetTensorImpl()) == 0) {
      throw changed_shape(call);
    }
    if (changes_history) {
      throw CaptureError("operator " + full_name(call.op) + " writes a tensor from outside of " + a_body +
                         ", where a gradient goes through it: return the new value, or write under torch::NoGradGuard");
    }
    written_.push_back({tensor, tensor.sizes().vec()});
  });
}

// As an operator does that gets it as `out`.
void body_memory::check_shapes(const operator_call& call) const {
  for (const written_tensor& each : written_) {
    if (each.tensor.sizes() != each.sizes) {
      throw changed_shape(call);
    }
  }
}

void body_memory::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  const body_place* const place = current_body();
  if (place == nullptr) {
    return;
  }
  check_shapes(call);
  const auto given = handles_in(call);
  const auto memory = memory_in(call);
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      if (!tensor.defined() || holds(given, static_cast<const c10::TensorImpl*>(tensor.unsafeGetTensorImpl()))) {
        return;
      }
      lend(tensor);
      const auto* const storage = storage_of(tensor);
      if (storage != nullptr && !holds(memory, storage) && memory_.count(storage) == 0) {
        keep(tensor, place->visit);
      }
    });
  }
}

void body_memory::lend(const at::Tensor& handle) {
  using weak = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  handles_.insert_or_assign(handle.unsafeGetTensorImpl(), made<weak>{weak(handle.getIntrusivePtr()), current_body()->visit});
}

void body_memory::hand_over(const at::Tensor& made) {
  handles_.erase(made.unsafeGetTensorImpl());
  if (const body_place* const around = current_body()->outer; around != nullptr) {
    keep(made, around->visit);
  } else {
    memory_.erase(storage_of(made));
  }
}

void body_memory::forget_gone_handles() {
  for (auto each = handles_.begin(); each != handles_.end();) {
    each = each->second.keeps_address.expired() ? handles_.erase(each) : std::next(each);
  }
}

void body_memory::keep(const at::Tensor& memory, uint64_t visit) {
  memory_.insert_or_assign(storage_of(memory),
                           made<c10::weak_intrusive_ptr<c10::StorageImpl>>{memory.storage().getWeakStorageImpl(), visit});
}

bool body_memory::is_of_another_body(const at::Tensor& tensor) const {
  if (!tensor.defined()) {
    return false;
  }
  const auto handle = handles_.find(tensor.unsafeGetTensorImpl());
  const auto memory = memory_.find(storage_of(tensor));
  return (handle != handles_.end() && !is_under_way(handle->second.visit)) ||
         (memory != memory_.end() && !is_under_way(memory->second.visit));
}

bool body_memory::is_made_by(const body_place& body, const at::Tensor& tensor) const {
  const auto memory = memory_.find(storage_of(tensor));
  return memory != memory_.end() && memory->second.visit == body.visit;
}

// True as well where the thread is in none.
bool body_memory::is_made_in_condition(const at::Tensor& tensor) const {
  for (const body_place* each = current_body(); each != nullptr; each = each->outer) {
    if (is_made_by(*each, tensor)) {
      return true;
    }
    if (each->is_condition) {
      return false;
    }
  }
  return true;
}

}  // namespace graphed::impl
