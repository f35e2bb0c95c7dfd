// SPDX-License-Identifier: Apache-2.0
#include "slot/saved.h"

#include "torch/accumulators.h"
#include "torch/history.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace graphed::impl {
namespace {

using impl_counts = std::unordered_map<c10::TensorImpl*, std::size_t>;

// How often the results hold each of them, and their views each base.
impl_counts expected_holders(const tensor_list& results) {
  impl_counts expected;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& result : results) {
    if (!result.defined()) {
      continue;
    }
    ++expected[result.unsafeGetTensorImpl()];
    const at::Tensor* const base = base_of(result);
    if (base != nullptr && seen.insert(result.unsafeGetTensorImpl()).second) {
      ++expected[base->unsafeGetTensorImpl()];
    }
  }
  return expected;
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

/// What a callable returned, apart from what autograd may have saved of it.
class result_holders {
 public:
  explicit result_holders(const tensor_list& results) : results_(results), counts_(expected_holders(results)) {}

  /// For each result, whether somebody besides the list, and the views in it, holds it, its base, or its version counter, as autograd does
  /// with what it saves.
  std::vector<bool> saved() const;
  /// How often the list holds the tensor, and its views do.
  std::size_t count(const at::Tensor& tensor) const;
  /// Whether somebody besides the list, and the views in it, holds a result with this version counter, or the counter. The caller has the
  /// only other copy of it.
  bool others_hold(const c10::VariableVersion& counter) const;

 private:
  const tensor_list& results_;
  const impl_counts counts_;
};

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

// Whether somebody besides the results has the tensor's version counter.
bool others_count_versions(const at::Tensor& tensor, const result_holders& holders) {
  auto* impl = tensor.unsafeGetTensorImpl();
  const c10::VariableVersion counter = impl->version_counter();
  impl->set_version_counter(c10::VariableVersion(0));
  const bool do_hold = holders.others_hold(counter);
  impl->set_version_counter(counter);
  return do_hold;
}

std::size_t accumulators_of(const at::Tensor& leaf) { return has_accumulator(leaf) ? 1 : 0; }

// `held`: how often the arguments' lists hold it.
bool is_saved(const at::Tensor& argument, std::size_t held, const result_holders& holders) {
  const std::size_t accumulators = argument.is_leaf() ? accumulators_of(argument) : 0;
  return argument.use_count() > held + holders.count(argument) + accumulators || others_count_versions(argument, holders);
}

// Since `before`, the recording holds what was used of the originals, and the capture's own accumulator its tensor.
bool is_saved(const closure_member& member, std::size_t before, const result_holders& holders) {
  if (!member.stand_in.defined()) {
    const std::size_t expected = (member.used ? 1u : 0u) + (member.accumulator != nullptr ? 1u : 0u) + holders.count(member.tensor);
    return member.tensor.use_count() > before + expected || holders.others_hold(member.version);
  }
  const std::size_t expected = accumulators_of(member.stand_in) + holders.count(member.stand_in);
  return member.stand_in.use_count() > before + expected || others_count_versions(member.stand_in, holders);
}

}  // namespace

std::vector<std::size_t> use_counts(const closure& members) {
  std::vector<std::size_t> counts;
  for (const auto& member : members.members()) {
    counts.push_back(member.captured().use_count());
  }
  return counts;
}

void find_saved(captured_callable& made, const static_arguments& arguments, const tensor_list& results,
                const std::vector<std::size_t>& before) {
  const result_holders holders(results);
  for (std::size_t i = 0; i < arguments.passed().size(); ++i) {
    const at::Tensor& argument = arguments.passed()[i];
    std::size_t held = 0;
    for (const auto* list : {&arguments.passed(), &arguments.tensors()}) {
      held += static_cast<std::size_t>(
          std::count_if(list->begin(), list->end(), [&](const at::Tensor& each) { return each.is_same(argument); }));
    }
    made.input_saved.push_back(argument.defined() && is_saved(argument, held, holders));
  }
  auto& members = made.closed_over.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].saved = i >= before.size() || is_saved(members[i], before[i], holders);
  }
  made.result_saved = holders.saved();
}

}  // namespace graphed::impl
