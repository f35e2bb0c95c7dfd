// SPDX-License-Identifier: Apache-2.0
#include "distributed/buckets.h"

#include <map>
#include <utility>

namespace graphed::impl {

std::vector<std::vector<at::Tensor>> in_buckets(at::TensorList tensors, std::size_t first, std::size_t next) {
  struct filling {
    std::vector<at::Tensor> tensors;
    std::size_t bytes = 0;
    std::size_t limit;
  };
  std::map<c10::ScalarType, filling> open;
  std::vector<std::vector<at::Tensor>> full;
  for (const auto& tensor : tensors) {
    filling& bucket = open.try_emplace(tensor.scalar_type(), filling{{}, 0, first}).first->second;
    bucket.tensors.push_back(tensor);
    bucket.bytes += tensor.nbytes();
    if (bucket.bytes >= bucket.limit) {
      full.push_back(std::exchange(bucket.tensors, {}));
      bucket = {{}, 0, next};
    }
  }
  for (auto& [dtype, bucket] : open) {
    if (!bucket.tensors.empty()) {
      full.push_back(std::move(bucket.tensors));
    }
  }
  return full;
}

}  // namespace graphed::impl
