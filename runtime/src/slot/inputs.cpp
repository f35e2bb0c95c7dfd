// SPDX-License-Identifier: Apache-2.0
//
// The static inputs of a capture, and which of them may lie where others' do.
#include "slot/slot.h"

#include "backend/staging.h"
#include "capture/shared_inputs.h"
#include "slot/padding.h"

#include <c10/core/GradMode.h>

#include <unordered_set>
#include <utility>

namespace graphed {

// Whether nobody reads it once the replay that has written it is over: no backward is to come, it is not copied back, and the launch itself
// copies the whole of it.
bool slot::may_share(std::size_t input) const {
  const bool has_no_backward = !c10::GradMode::is_enabled() || spec_.step;
  return has_no_backward && sample_.padded.empty() && !has(input, flags::static_address | flags::inplace) &&
         is_worth_sharing(sample_.tensors[input]);
}

std::vector<at::Tensor> slot::make_shared_inputs(const inputs& inputs) {
  std::vector<bool> chosen;
  for (std::size_t i = 0; i < sample_.tensors.size(); ++i) {
    chosen.push_back(inputs.tensors()[i].defined() && may_share(i));
  }
  auto made = graphed::make_shared_inputs(sample_, chosen, backend_, device_);
  for (std::size_t i = 0; i < made.tensors.size(); ++i) {
    if (made.tensors[i].defined()) {
      shared_inputs_.push_back(i);
    }
  }
  bytes_in_pool_ += made.bytes_added;
  return std::move(made.tensors);
}

// Tensors that lie over each shared input.
std::vector<std::size_t> slot::shared_input_holders() const {
  std::vector<std::size_t> holders;
  for (const std::size_t input : shared_inputs_) {
    holders.push_back(static_inputs_[input].storage().use_count());
  }
  return holders;
}

// What the callable has put aside, in a member for one, would change with the next replay of any callable, not only with its own. What an
// autograd graph has saved is read by a backward.
void slot::check_shared_inputs(const std::vector<std::size_t>& holders_before, const tensor_list& results) const {
  for (std::size_t i = 0; i < shared_inputs_.size(); ++i) {
    const at::Tensor& input = static_inputs_[shared_inputs_[i]];
    std::unordered_set<const c10::TensorImpl*> returned;
    for (const auto& result : results) {
      if (result.defined() && result.has_storage() && result.is_alias_of(input) && !result.is_same(input)) {
        returned.insert(result.unsafeGetTensorImpl());
      }
    }
    if (input_saved_[shared_inputs_[i]] || input.storage().use_count() > holders_before[i] + returned.size()) {
      throw kept_inputs();
    }
  }
}

void slot::make_static_inputs(const inputs& inputs, const call_details& details, std::vector<at::Tensor>&& shared) {
  for (std::size_t i = 0; i < sample_.tensors.size(); ++i) {
    const auto& tensor = sample_.tensors[i];
    const at::Tensor& argument = inputs.tensors()[i];
    if (!argument.defined()) {
      static_inputs_.emplace_back();
      continue;
    }
    static_inputs_.push_back(has(i, flags::static_address) ? corner(argument, argument.sizes())
                             : shared[i].defined() ? std::move(shared[i])
                                                   : make_static(tensor.shape, strides_of(tensor, tensor.shape), tensor.dtype, device_));
    const bool requires_grad = c10::GradMode::is_enabled() ? has(i, flags::grad) : argument.requires_grad();
    static_inputs_.back().set_requires_grad(requires_grad);
  }
  for (const auto& live : details.live) {
    static_live_.push_back(make_static({}, {}, live.value.dtype(), device_));
  }
}

// Aliases: whether the backward needs an input is told by who else holds it.
std::vector<at::Tensor> slot::staged_tensors() const {
  std::vector<at::Tensor> tensors;
  for (const auto* list : {&static_inputs_, &static_live_}) {
    for (const auto& tensor : *list) {
      tensors.push_back(tensor.defined() ? alias_of(tensor) : at::Tensor());
    }
  }
  return tensors;
}

}  // namespace graphed
