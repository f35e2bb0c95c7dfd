// SPDX-License-Identifier: Apache-2.0
#include "slot/saved.h"

#include "capture/saved.h"
#include "torch/accumulators.h"

#include <torch/csrc/autograd/variable.h>

#include <algorithm>

namespace graphed::impl {

use_counts::use_counts(const closure& members) {
  for (const auto& member : members.members()) {
    counts_.push_back(member.captured().use_count());
  }
}

bool use_counts::grew(std::size_t index, const at::Tensor& tensor, std::size_t expected) const {
  return index >= counts_.size() || tensor.use_count() > counts_[index] + expected;
}

namespace {

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
bool is_saved(const closure_member& member, std::size_t index, const use_counts& before, const result_holders& holders) {
  if (!member.stand_in.defined()) {
    const std::size_t expected = (member.used ? 1u : 0u) + (member.accumulator != nullptr ? 1u : 0u) + holders.count(member.tensor);
    return before.grew(index, member.tensor, expected) || holders.others_hold(member.version);
  }
  const std::size_t expected = accumulators_of(member.stand_in) + holders.count(member.stand_in);
  return before.grew(index, member.stand_in, expected) || others_count_versions(member.stand_in, holders);
}

}  // namespace

void find_saved(captured_callable& made, const static_arguments& arguments, const tensor_list& results, const use_counts& before) {
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
    members[i].saved = is_saved(members[i], i, before, holders);
  }
  made.result_saved = holders.saved();
}

}  // namespace graphed::impl
