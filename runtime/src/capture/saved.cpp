// SPDX-License-Identifier: Apache-2.0
#include "capture/saved.h"

#include "torch/history.h"

#include <algorithm>
#include <unordered_map>

namespace graphed::impl {
namespace {

using impl_counts = std::unordered_map<c10::TensorImpl*, std::size_t>;

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
std::vector<c10::TensorImpl*> sharing(const c10::VariableVersion& counter, const impl_counts& among) {
  std::unordered_map<c10::TensorImpl*, uint32_t> before;
  for (const auto& [impl, count] : among) {
    before.emplace(impl, version_of(*impl));
  }
  const uint32_t now = counter.current_version();
  c10::VariableVersion(counter).bump();
  std::vector<c10::TensorImpl*> found;
  for (const auto& [impl, version] : before) {
    if (version_of(*impl) != version) {
      found.push_back(impl);
    }
  }
  c10::VariableVersion(counter).set_version(now);
  return found;
}

// Takes the counter away from its known holders for a moment: whoever holds it still is another.
bool has_other_holder(const c10::VariableVersion& counter, const std::vector<c10::TensorImpl*>& known) {
  for (auto* impl : known) {
    impl->set_version_counter(c10::VariableVersion(0));
  }
  const bool is_alone = counter.unique();
  for (auto* impl : known) {
    impl->set_version_counter(counter);
  }
  return !is_alone;
}

}  // namespace

result_holders::result_holders(const std::vector<at::Tensor>& results) : results_(results), counts_(expected_holders(results)) {}

std::vector<bool> result_holders::saved() const {
  std::vector<bool> saved;
  for (const auto& result : results_) {
    if (!result.defined() || result.is_inference()) {
      saved.push_back(false);
      continue;
    }
    const at::Tensor* base = base_of(result);
    const bool is_held = result.use_count() > count(result) || (base != nullptr && base->use_count() > count(*base));
    const c10::VariableVersion counter = result.unsafeGetTensorImpl()->version_counter();
    const auto known = sharing(counter, counts_);
    saved.push_back(is_held || has_other_holder(counter, known));
  }
  return saved;
}

std::size_t result_holders::count(const at::Tensor& tensor) const {
  const auto found = counts_.find(tensor.unsafeGetTensorImpl());
  return found == counts_.end() ? 0 : found->second;
}

bool result_holders::others_hold(const c10::VariableVersion& counter) const {
  const auto known = sharing(counter, counts_);
  const bool is_result_held = std::any_of(results_.begin(), results_.end(), [&](const at::Tensor& result) {
    return result.defined() && result.use_count() > count(result) &&
           std::find(known.begin(), known.end(), result.unsafeGetTensorImpl()) != known.end();
  });
  return is_result_held || has_other_holder(counter, known);
}

}  // namespace graphed::impl
