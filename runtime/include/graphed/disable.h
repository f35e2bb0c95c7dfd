// SPDX-License-Identifier: Apache-2.0
//
// Running the original functions within a scope, to compare or to debug.
//
// Python: torch._inductor's and tensordict's switches are per process or per object; torch.cuda has none.
#pragma once

#include <graphed/export.h>

namespace graphed {

/// Within its scope, graphed callables that this thread calls run the original function, without capture and warm-up; each call counts as
/// the miss `disabled`. Scopes nest. The backward of a call that was a graph stays one; graphs of the stand-alone API replay as before.
/// Ends on the thread that it began on.
class GRAPHED_API DisableGuard {
 public:
  [[nodiscard]] DisableGuard() noexcept;
  ~DisableGuard();
  DisableGuard& operator=(DisableGuard&&) = delete;
};

/// Whether this thread is inside a `DisableGuard` scope, or the environment variable GRAPHED_DISABLE is 1.
GRAPHED_API bool is_disabled();

}  // namespace graphed
