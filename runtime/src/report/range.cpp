// SPDX-License-Identifier: Apache-2.0
#include "report/range.h"

#include <utility>

#if defined(GRAPHED_WITH_CUDA)
#include <nvtx3/nvToolsExt.h>
#endif

namespace graphed::impl {

range::range(const char* name) {
  if (auto callbacks = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE)) {
    profiled_.emplace(std::move(*callbacks)).before(name);
  }
#if defined(GRAPHED_WITH_CUDA)
  nvtxRangePushA(name);
#endif
}

range::~range() {
#if defined(GRAPHED_WITH_CUDA)
  nvtxRangePop();
#endif
}

}  // namespace graphed::impl
