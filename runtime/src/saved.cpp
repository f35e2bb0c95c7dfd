// SPDX-License-Identifier: Apache-2.0
#include "saved.h"

#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <unordered_map>

namespace graphed {
namespace {

using impl_counts = std::unordered_map<c10::TensorImpl*, std::size_t>;

const at::Tensor* base_of(const at::Tensor& tensor) {
  const auto* meta = torch::autograd::impl::get_view_autograd_meta(tensor);
  return meta != nullptr && meta->has_bw_view() ? &meta->get_backward_view().base_ : nullptr;
}

// How often the results hold each of them, and their views each base.
impl_counts expected_holders(const std::vector<at::Tensor>& results) {
  impl_counts expected;
  for (const auto& result : results) {
    if (result.defined()) {
      ++expected[result.unsafeGetTensorImpl()];
    }
  }
  impl_counts with_bases = expected;
  for (const auto& [impl, count] : expected) {
    const auto result = std::find_if(results.begin(), results.end(), [impl = impl](const at::Tensor& each) {
      return each.defined() && each.unsafeGetTensorImpl() == impl;
    });
    if (const at::Tensor* base = base_of(*result)) {
      ++with_bases[base->unsafeGetTensorImpl()];
    }
  }
  return with_bases;
}

uint32_t version_of(const c10::TensorImpl& impl) { return impl.version_counter().enabled() ? impl.version_counter().current_version() : 0; }

// Those that count together with `counter`.
std::vector<c10::TensorImpl*> sharing(c10::VariableVersion counter, const impl_counts& among) {
  std::unordered_map<c10::TensorImpl*, uint32_t> before;
  for (const auto& [impl, count] : among) {
    before.emplace(impl, version_of(*impl));
  }
  const uint32_t now = counter.current_version();
  counter.bump();
  std::vector<c10::TensorImpl*> found;
  for (const auto& [impl, version] : before) {
    if (version_of(*impl) != version) {
      found.push_back(impl);
    }
  }
  counter.set_version(now);
  return found;
}

// Takes the counter away from its known holders for a moment: whoever holds it still is another.
bool has_other_holder(const at::Tensor& result, const impl_counts& holders) {
  c10::VariableVersion kept = result.unsafeGetTensorImpl()->version_counter();
  const auto known = sharing(kept, holders);
  for (auto* impl : known) {
    impl->set_version_counter(c10::VariableVersion(0));
  }
  const bool is_alone = kept.unique();
  for (auto* impl : known) {
    impl->set_version_counter(kept);
  }
  return !is_alone;
}

}  // namespace

std::vector<bool> saved_by_autograd(const std::vector<at::Tensor>& results) {
  const impl_counts holders = expected_holders(results);
  std::vector<bool> saved;
  for (const auto& result : results) {
    if (!result.defined() || result.is_inference()) {
      saved.push_back(false);
      continue;
    }
    const at::Tensor* base = base_of(result);
    const bool is_held = result.use_count() > holders.at(result.unsafeGetTensorImpl()) ||
                         (base != nullptr && base->use_count() > holders.at(base->unsafeGetTensorImpl()));
    saved.push_back(is_held || has_other_holder(result, holders));
  }
  return saved;
}

}  // namespace graphed
