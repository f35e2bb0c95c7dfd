// SPDX-License-Identifier: Apache-2.0
#include "slot/versions.h"

#include "report/text.h"
#include "slot/backward_capture.h"

#include <torch/csrc/autograd/anomaly_mode.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
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
    if (callable.input_saved[i] && !arguments.is_on_host(i)) {  // of such a tensor the graph has a copy
      remember(inputs.tensors()[i], arguments.passed()[i]);
    }
  }
  for (const auto& member : members) {
    if (member.saved) {
      remember(member.tensor, member.captured());
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& plan = callable.results.plans()[i];
    if (callable.result_saved[i] && plan.from == result_plan::source::memory) {
      remember(results[i], plan.captured);
    }
  }
}

static bool is_modified(const saved_tensor& tensor) { return tensor.counter.current_version() != tensor.version; }

bool are_unchanged(const std::vector<saved_tensor>& saved) { return std::none_of(saved.begin(), saved.end(), &is_modified); }

static bool needs(const backward_variant& variant, const at::Tensor& captured) {
  return variant.comes_to.is_whole || (captured.has_storage() && variant.needed.count(captured.storage().unsafeGetStorageImpl()) != 0);
}

[[noreturn]] static void throw_modified(const saved_tensor& tensor) {
  const std::string shape = text(tensor.sizes.empty() ? tensor.captured->sizes() : at::IntArrayRef(tensor.sizes));
  TORCH_CHECK(false, "one of the variables needed for gradient computation has been modified by an inplace operation: [",
              tensor.captured->toString(), " ", shape, "] is at version ", tensor.counter.current_version(), "; expected version ",
              tensor.version, " instead.",
              torch::autograd::AnomalyMode::is_enabled()
                  ? ""
                  : " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                    "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

void check_versions(const std::vector<saved_tensor>& saved, const backward_variant& variant) {
  for (const auto& each : saved) {
    if (is_modified(each) && needs(variant, *each.captured)) {
      throw_modified(each);
    }
  }
}

// By its own number, the node that throws says which one it was.
modified_in_graph::modified_in_graph(const std::vector<saved_tensor>& saved) {
  uint32_t next = std::numeric_limits<uint32_t>::max();
  for (const auto& each : saved) {
    if (is_modified(each)) {
      auto counter = each.captured->unsafeGetTensorImpl()->version_counter();
      shown_.push_back({&each, counter, counter.current_version(), next--});
      counter.set_version(shown_.back().now);
    }
  }
}

modified_in_graph::~modified_in_graph() {
  for (auto each = shown_.rbegin(); each != shown_.rend(); ++each) {
    each->counter.set_version(each->before);
  }
}

void modified_in_graph::throw_as_eager(const std::exception& of_node) const {
  const std::string_view words = of_node.what();
  for (const auto& each : shown_) {
    if (words.find("is at version " + std::to_string(each.now) + "; expected version") != std::string_view::npos) {
      throw_modified(*each.modified);
    }
  }
}

}  // namespace graphed::impl
