// SPDX-License-Identifier: Apache-2.0
#include "watch/operator_trace.h"

#include "report/text.h"
#include "torch/tensors_of.h"
#include "watch/outside_watch.h"

#include <cstring>

namespace graphed::impl {
namespace {

// NaN is itself.
bool same(const c10::IValue& one, const c10::IValue& other) {
  if (one.isDouble() && other.isDouble()) {
    const double a = one.toDouble();
    const double b = other.toDouble();
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  return one == other;
}

thread_local int untraced_depth = 0;

}  // namespace

untraced::untraced() { ++untraced_depth; }

untraced::~untraced() { --untraced_depth; }

void operator_trace::add(const operator_call& call, const outside_watch& outside) {
  if (untraced_depth != 0) {
    return;
  }
  step made{call.op.operator_name(), {}, {}};
  made.numbers.reserve(call.arguments.size());
  for (const auto& argument : call.arguments) {
    made.numbers.push_back(number_of(argument, outside));
    for_each_tensor(argument, [&](const at::Tensor& tensor) { made.tensors.push_back(place_of(tensor)); });
  }
  steps_.push_back(std::move(made));
}

operator_trace::number operator_trace::number_of(const c10::IValue& argument, const outside_watch& outside) {
  if (!argument.isTensor()) {
    const bool is_plain =
        argument.isScalar() || argument.isBool() || argument.isString() || argument.isIntList() || argument.isDoubleList();
    return {is_plain ? argument : c10::IValue()};
  }
  const at::Tensor& tensor = argument.toTensor();
  if (!tensor.defined() || !tensor.is_cpu()) {
    return {};
  }
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    return {tensor.item()};
  }
  const bool is_number = tensor.dim() == 0 && tensor.has_storage() && outside.origin_of(tensor) == origin::outside;
  return is_number ? number{tensor.item(), storage_of(tensor)} : number{};
}

// A nested tensor has no sizes.
operator_trace::place operator_trace::place_of(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage() || tensor.is_nested()) {
    return {nullptr, 0, {}};
  }
  return {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec()};
}

operator_trace operator_trace::with_places_in(const known_memory& known) const {
  operator_trace result = *this;
  for (auto& step : result.steps_) {
    for (auto& tensor : step.tensors) {
      const auto found = known.find(tensor.memory);
      tensor.memory = found == known.end() ? nullptr : found->second;
    }
    for (auto& number : step.numbers) {
      if (known.count(number.memory) != 0) {
        number.value = c10::IValue();
      }
    }
  }
  return result;
}

trace_difference operator_trace::difference(const step& before, const step& now) {
  if (before.name != now.name) {
    return {"it runs operator " + toString(now.name) + " where the call before ran " + toString(before.name)};
  }
  const std::string who = "operator " + toString(now.name);
  for (std::size_t i = 0; i < before.numbers.size(); ++i) {
    if (!same(before.numbers[i].value, now.numbers[i].value)) {
      return {who + " takes the number " + text(now.numbers[i].value) + ", and took " + text(before.numbers[i].value) +
              " in the call before"};
    }
  }
  if (before.tensors.size() != now.tensors.size()) {
    return {who + " takes " + std::to_string(now.tensors.size()) + " tensors, and took " + std::to_string(before.tensors.size()) +
            " in the call before"};
  }
  for (std::size_t i = 0; i < before.tensors.size(); ++i) {
    const place &was = before.tensors[i], &is = now.tensors[i];
    const bool is_known = was.memory != nullptr && is.memory != nullptr;
    if (is_known && (was.memory != is.memory || was.offset != is.offset)) {
      return {
          who + " takes a tensor of shape " + text(c10::IntArrayRef(is.shape)) + " from outside, and took another one in the call before",
          /*is_of_outside=*/true};
    }
  }
  return {};
}

trace_difference operator_trace::first_difference(const operator_trace& later) const {
  for (std::size_t i = 0; i < steps_.size() && i < later.steps_.size(); ++i) {
    if (trace_difference found = difference(steps_[i], later.steps_[i]); !found.text.empty()) {
      return found;
    }
  }
  if (steps_.size() != later.steps_.size()) {
    return {"it runs " + std::to_string(later.steps_.size()) + " operators where the call before ran " + std::to_string(steps_.size())};
  }
  return {};
}

}  // namespace graphed::impl
