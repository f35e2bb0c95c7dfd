// SPDX-License-Identifier: Apache-2.0
//
// Running the plain callables for a while, to compare or to debug.
//
// Python: torch._inductor's and tensordict's switches are per process or per object; torch.cuda has none.
#pragma once

#include <graphed/export.h>

namespace graphed {

/// While it lives, graphed callables that this thread calls run plainly: no capture, no warm-up; each is counted as the miss `disabled`.
/// Scopes nest. The backward of a call that was a graph stays one; graphs of the stand-alone API replay as ever. Ends on the thread that it
/// began on.
class GRAPHED_API DisableGuard {
 public:
  [[nodiscard]] DisableGuard() noexcept;
  ~DisableGuard();
  DisableGuard& operator=(DisableGuard&&) = delete;
};

/// Whether this thread is inside a `DisableGuard` scope, or the environment variable GRAPHED_DISABLE is 1.
GRAPHED_API bool is_disabled();

}  // namespace graphed
