// SPDX-License-Identifier: Apache-2.0
#include "capture/stand_ins.h"

#include "torch/tensors_of.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace graphed::impl {
namespace {

constexpr auto exchanger = interception_place::above_autograd;

using stand_in_info = shown_in_scope<const stand_ins>;

// The value with the tensors that `other` knows exchanged for those that it gives. A list of the caller's stays as it is.
template <class Other>
void exchange(c10::IValue& value, const Other& other) {
  bool is_other = false;
  c10::IValue exchanged = with_each_tensor(value, [&](const at::Tensor& tensor) {
    const at::Tensor* const found = other(tensor);
    is_other |= found != nullptr;
    return found != nullptr ? *found : tensor;
  });
  if (is_other) {
    value = std::move(exchanged);
  }
}

void run_on_stand_ins(const c10::OperatorHandle& op, const dispatch_path& below, torch::jit::Stack& stack) {
  const interception_pause once(exchanger);
  const auto* const active = dynamic_cast<const stand_in_info*>(c10::ThreadLocalDebugInfo::get(stand_ins_info_kind));
  const auto pairs = active == nullptr ? nullptr : active->get();
  if (pairs == nullptr) {
    below.call(op, stack);
    return;
  }
  const auto exchange_last = [&stack](std::size_t count, const auto& other) {
    std::for_each(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end(), [&](c10::IValue& value) { exchange(value, other); });
  };
  exchange_last(op.schema().arguments().size(), [&](const at::Tensor& tensor) { return pairs->for_original(tensor); });
  below.call(op, stack);
  exchange_last(op.schema().returns().size(), [&](const at::Tensor& tensor) { return pairs->original_of(tensor); });
}

void install_exchanger() {
  static const bool once = (install_interceptor(exchanger, &run_on_stand_ins), true);
  static_cast<void>(once);
}

}  // namespace

at::Tensor stand_ins::make_for(const at::Tensor& original) {
  if (original.is_inference() || !original.is_leaf()) {
    return {};
  }
  if (const at::Tensor* known = for_original(original)) {
    return *known;
  }
  at::Tensor made(original.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), /*allow_tensor_metadata_change=*/true));
  made.set_requires_grad(original.requires_grad());
  for_original_.emplace(original.unsafeGetTensorImpl(), made);
  original_of_.emplace(made.unsafeGetTensorImpl(), original);
  return made;
}

stand_in_scope::stand_in_scope(std::shared_ptr<const stand_ins> pairs)
    : shown_(std::make_shared<stand_in_info>(std::move(pairs))),
      info_(stand_ins_info_kind, (install_exchanger(), shown_)),
      operators_(exchanger) {}

stand_in_scope::~stand_in_scope() { shown_->end(); }

}  // namespace graphed::impl
