// SPDX-License-Identifier: Apache-2.0
#include "slot/memory_names.h"

namespace graphed::impl {

void memory_names::add(const at::Tensor& tensor, const std::string& name, const std::string& module) {
  if (tensor.defined() && tensor.has_storage()) {
    by_storage_.insert_or_assign(tensor.storage().unsafeGetStorageImpl(), place{name, module});
  }
}

std::optional<reported_work> memory_names::report(const captured_work* work) const {
  if (work == nullptr) {
    return std::nullopt;
  }
  reported_work made{work->begin, work->microseconds, work->thread, work->bytes_added, {}};
  for (const auto& node : work->nodes) {
    reported_node& one = made.nodes.emplace_back();
    one.node = node;
    for (const void* const memory : node.reads) {
      const auto found = by_storage_.find(memory);
      if (found != by_storage_.end()) {
        one.reads.push_back(found->second.name);
        one.module = one.module.empty() ? found->second.module : one.module;
      }
    }
  }
  return made;
}

}  // namespace graphed::impl
