// SPDX-License-Identifier: Apache-2.0
#include "watch/operator_trace.h"

#include "report/text.h"
#include "torch/tensors_of.h"
#include "watch/control_flow.h"
#include "watch/outside_watch.h"

#include <torch/csrc/autograd/graph_task.h>

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
  steps* const to = untraced_depth == 0 ? steps_here() : nullptr;
  if (to == nullptr) {
    return;
  }
  step made{call.op.operator_name(), {}, {}};
  made.numbers.reserve(call.arguments.size());
  for (const auto& argument : call.arguments) {
    made.numbers.push_back(number_of(argument, outside));
    for_each_tensor(argument, [&](const at::Tensor& tensor) { made.tensors.push_back(place_of(tensor)); });
  }
  to->push_back(std::move(made));
}

// Of a body that runs several times, the first one.
operator_trace::steps* operator_trace::steps_here() {
  const body_place* const body = current_body();
  if (body == nullptr) {
    return &steps_;
  }
  auto& [visit, steps] = bodies_.try_emplace(body->path, body->visit, operator_trace::steps()).first->second;
  return visit == body->visit ? &steps : nullptr;
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
  keep_places_in(known, result.steps_);
  for (auto& body : result.bodies_) {
    keep_places_in(known, body.second.second);
  }
  return result;
}

void operator_trace::keep_places_in(const known_memory& known, steps& all) {
  for (auto& step : all) {
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

trace_difference operator_trace::difference(const steps& before, const steps& now) {
  for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
    if (trace_difference found = difference(before[i], now[i]); !found.text.empty()) {
      return found;
    }
  }
  if (before.size() != now.size()) {
    return {"it runs " + std::to_string(now.size()) + " operators where the call before ran " + std::to_string(before.size())};
  }
  return {};
}

void trace_watch::before(const operator_call& call) {
  if (!leaves_out_backwards_ || torch::autograd::get_current_graph_task_id() == -1) {
    trace_.add(call, outside_);
  }
}

trace_difference operator_trace::first_difference(const operator_trace& later) const {
  trace_difference found = difference(steps_, later.steps_);
  for (auto body = bodies_.begin(); body != bodies_.end() && found.text.empty(); ++body) {
    const auto other = later.bodies_.find(body->first);
    if (other != later.bodies_.end()) {
      found = difference(body->second.second, other->second.second);
    }
  }
  return found;
}

}  // namespace graphed::impl
