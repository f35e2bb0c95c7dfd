// SPDX-License-Identifier: Apache-2.0
#include "watch/undeclared_writes.h"

#include "torch/host_memory.h"
#include "torch/raw_tensors.h"
#include "torch/tensors_of.h"
#include "watch/outside_watch.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace graphed::impl {
namespace {

at::Tensor copy_of_memory(const c10::Storage& memory) {
  at::Tensor copy = allocate_tensor({static_cast<int64_t>(memory.nbytes())}, {1}, at::kByte, at::kCPU);
  std::memcpy(copy.mutable_data_ptr(), memory.data(), memory.nbytes());
  return copy;
}

// Of a storage that the operator has resized, the beginning.
std::size_t common_bytes(const c10::Storage& now, const at::Tensor& before) { return std::min(now.nbytes(), before.nbytes()); }

}  // namespace

undeclared_writes::undeclared_writes(const operator_call& call) {
  if (!is_of_another_library(call.op.operator_name()) || call.below.leaves_cpu()) {  // a device may be writing the host's memory
    return;
  }
  std::unordered_set<const c10::StorageImpl*> known;
  for (const access each : {access::write, access::read}) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if ((access_to_argument(call, i) == access::read) != (each == access::read)) {
        continue;
      }
      for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
        if (has_host_bytes(tensor) && known.insert(storage_of(tensor)).second && each == access::read) {
          read_.emplace_back(tensor, copy_of_memory(tensor.storage()));
        }
      });
    }
  }
}

void undeclared_writes::tell(c10::function_ref<void(const at::Tensor&)> tell) {
  for (auto& [tensor, before] : read_) {
    const c10::Storage& memory = tensor.storage();
    const std::size_t size = common_bytes(memory, before);
    if (std::memcmp(memory.data(), before.const_data_ptr(), size) == 0) {
      continue;
    }
    auto* const now = static_cast<char*>(memory.mutable_data());
    auto* const then = static_cast<char*>(before.mutable_data_ptr());
    std::swap_ranges(now, now + size, then);
    const auto restored = c10::make_scope_exit([=] { std::swap_ranges(now, now + size, then); });
    tell(tensor);
  }
}

}  // namespace graphed::impl
