// SPDX-License-Identifier: Apache-2.0
//
// What a call leaves in its `inplace` arguments. A graph ends with copies into those that lie in memory as the static ones do; the others
// get their values by operators behind the launch.
#include "slot/slot.h"

#include "backend/staging.h"
#include "slot/padding.h"

#include <c10/util/SmallVector.h>

#include <algorithm>

namespace graphed {
namespace {

struct address_range {
  const char* begin;
  const char* end;
};

// Through storages that do not know of each other, one by from_blob for example: those that do were refused.
bool overlap(c10::SmallVector<address_range, 8>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const address_range& a, const address_range& b) { return a.begin < b.begin; });
  return std::adjacent_find(ranges.begin(), ranges.end(), [](const address_range& a, const address_range& b) { return b.begin < a.end; }) !=
         ranges.end();
}

}  // namespace

std::vector<at::Tensor> slot::find_copied_back() {
  std::vector<at::Tensor> sources;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (argument_written_[i] && !has(i, flags::static_address)) {
      copied_back_.push_back({i, false});
      sources.push_back(alias_of(arguments_[i]));
    }
  }
  return sources;
}

// Copies of one launch run side by side; what overlaps is copied by operators, one after another.
void slot::stage_write_back(const inputs& inputs) {
  if (copied_back_.empty()) {
    return;
  }
  const auto tensors = inputs.tensors();
  c10::SmallVector<address_range, 8> ranges;
  for (const auto& each : copied_back_) {
    const auto* const begin = static_cast<const char*>(tensors[each.argument].const_data_ptr());
    ranges.push_back({begin, begin + tensors[each.argument].nbytes()});
  }
  const bool is_apart = !overlap(ranges);
  for (std::size_t place = 0; place < copied_back_.size(); ++place) {
    auto& each = copied_back_[place];
    each.in_launch = is_apart && work_->copy_out(place, tensors[each.argument]);
  }
}

void slot::write_back_partly(const inputs& inputs, const call_details& details) {
  if (backend_.capture_executes()) {
    write_back(inputs, details.copied.outputs);
  }
}

bool slot::write_back(const inputs& inputs, bool copies) {
  bool is_copied = false;
  for (auto& each : copied_back_) {
    if (copies && !each.in_launch) {
      const at::Tensor& argument = inputs.tensors()[each.argument];
      copy_value(argument, corner(arguments_[each.argument], argument.sizes()));
      is_copied = true;
    }
    each.in_launch = false;
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const at::Tensor& argument = inputs.tensors()[i];
    if (argument_written_[i] && !argument.is_inference()) {
      argument.unsafeGetTensorImpl()->bump_version();
    }
  }
  return is_copied;
}

}  // namespace graphed
