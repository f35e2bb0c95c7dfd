// SPDX-License-Identifier: Apache-2.0
#include "operator_trace.h"

#include <cstring>
#include <sstream>

namespace graphed {
namespace {

c10::IValue number_of(const c10::IValue& argument) {
  if (argument.isTensor()) {
    const at::Tensor& tensor = argument.toTensor();
    const bool is_number = tensor.defined() && tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.is_cpu();
    return is_number ? c10::IValue(tensor.item()) : c10::IValue();
  }
  const bool is_plain = argument.isScalar() || argument.isBool() || argument.isString() || argument.isIntList() || argument.isDoubleList();
  return is_plain ? argument : c10::IValue();
}

// NaN is itself.
bool same(const c10::IValue& one, const c10::IValue& other) {
  if (one.isDouble() && other.isDouble()) {
    const double a = one.toDouble();
    const double b = other.toDouble();
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  return one == other;
}

std::string text(const c10::IValue& number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

thread_local int untraced_depth = 0;

}  // namespace

untraced::untraced() { ++untraced_depth; }

untraced::~untraced() { --untraced_depth; }

void operator_trace::add(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  if (untraced_depth != 0) {
    return;
  }
  step made{op.operator_name(), {}};
  made.numbers.reserve(arguments.size());
  for (const auto& argument : arguments) {
    made.numbers.push_back(number_of(argument));
  }
  steps_.push_back(std::move(made));
}

std::string operator_trace::first_difference(const operator_trace& later) const {
  for (std::size_t i = 0; i < steps_.size() && i < later.steps_.size(); ++i) {
    const step& before = steps_[i];
    const step& now = later.steps_[i];
    if (before.name != now.name) {
      return "it runs operator " + toString(now.name) + " where the call before ran " + toString(before.name);
    }
    for (std::size_t j = 0; j < before.numbers.size(); ++j) {
      if (!same(before.numbers[j], now.numbers[j])) {
        return "operator " + toString(now.name) + " takes the number " + text(now.numbers[j]) + ", and took " + text(before.numbers[j]) +
               " in the call before";
      }
    }
  }
  if (steps_.size() != later.steps_.size()) {
    return "it runs " + std::to_string(later.steps_.size()) + " operators where the call before ran " + std::to_string(steps_.size());
  }
  return {};
}

}  // namespace graphed
