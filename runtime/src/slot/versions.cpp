// SPDX-License-Identifier: Apache-2.0
#include "slot/versions.h"

#include "report/text.h"
#include "slot/backward_capture.h"

#include <torch/csrc/autograd/anomaly_mode.h>

#include <algorithm>
#include <string>
#include <utility>

namespace graphed::impl {

void remember_versions(const captured_callable& callable, const static_arguments& arguments, const Inputs& inputs,
                       const tensor_list& results, bool is_padded, std::vector<saved_tensor>& saved) {
  const auto& members = callable.closed_over.members();
  saved.reserve(callable.input_saved.size() + members.size() + results.size());
  const auto remember = [&](const at::Tensor& tensor, const at::Tensor& captured) {
    if (tensor.is_inference()) {
      return;
    }
    auto counter = tensor.unsafeGetTensorImpl()->version_counter();
    const uint32_t version = counter.current_version();
    saved.push_back({std::move(counter), version, &captured, is_padded ? tensor.sizes().vec() : std::vector<int64_t>()});
  };
  for (std::size_t i = 0; i < callable.input_saved.size(); ++i) {
    const bool is_copy = callable.input_saved[i] && inputs.tensors()[i].device() != arguments.passed()[i].device();  // of a host's tensor
    if (callable.input_saved[i] && !is_copy) {
      remember(inputs.tensors()[i], arguments.passed()[i]);
    }
  }
  for (const auto& member : members) {
    if (member.saved) {
      remember(member.tensor, member.tensor);
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& plan = callable.results.plans()[i];
    if (callable.result_saved[i] && plan.from == result_plan::source::memory) {
      remember(results[i], plan.captured);
    }
  }
}

bool are_unchanged(const std::vector<saved_tensor>& saved) {
  return std::all_of(saved.begin(), saved.end(), [](const saved_tensor& each) { return each.counter.current_version() == each.version; });
}

static bool needs(const backward_variant& variant, const at::Tensor& captured) {
  return variant.comes_to.is_whole || (captured.has_storage() && variant.needed.count(captured.storage().unsafeGetStorageImpl()) != 0);
}

void check_versions(const std::vector<saved_tensor>& saved, const backward_variant* variant) {
  for (const auto& each : saved) {
    const uint32_t version = each.counter.current_version();
    if (version == each.version || (variant != nullptr && !needs(*variant, *each.captured))) {
      continue;
    }
    const std::string shape = text(each.sizes.empty() ? each.captured->sizes() : at::IntArrayRef(each.sizes));
    TORCH_CHECK(false, "one of the variables needed for gradient computation has been modified by an inplace operation: [",
                each.captured->toString(), " ", shape, "] is at version ", version, "; expected version ", each.version, " instead.",
                torch::autograd::AnomalyMode::is_enabled()
                    ? ""
                    : " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                      "torch.autograd.set_detect_anomaly(True, check_nan=False).");
  }
}

}  // namespace graphed::impl
