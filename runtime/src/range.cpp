// SPDX-License-Identifier: Apache-2.0
#include "range.h"

#if defined(GRAPHED_WITH_CUDA)
#include <nvtx3/nvToolsExt.h>
#endif

namespace graphed {

range::range(const char* name) : profiled_(at::RecordScope::USER_SCOPE) {
  if (profiled_.isActive()) {
    profiled_.before(name);
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

}  // namespace graphed
