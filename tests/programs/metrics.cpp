// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

namespace metrics {

float accuracy(const at::Tensor& logits, const at::Tensor& classes) {
  const at::Tensor share = logits.argmax(1).eq(classes).to(at::kFloat).mean();
  return share.item<float>();
}

}  // namespace metrics
