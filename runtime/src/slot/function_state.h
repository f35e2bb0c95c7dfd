// SPDX-License-Identifier: Apache-2.0
//
// What the autograd node of one graphed call remembers of it.
#pragma once

#include "slot/slot.h"

#include <graphed/function.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace graphed {

struct function::state {
  std::shared_ptr<slot> served_by;  ///< null: of no call
  slot_lease lease;
  std::shared_ptr<const call_details> details;
  std::vector<saved_tensor> saved;
  std::atomic<bool> released{false};
  bool was_passed_by = false;  ///< the last backward brought no gradient here, where eager's would not have come

  void serve(slot_lease&& of_call, std::shared_ptr<const call_details> its) {
    served_by = of_call.leased();
    lease = std::move(of_call);
    details = std::move(its);
  }
  /// The slot may serve another call.
  void release() {
    if (served_by && !released.exchange(true)) {
      served_by->backwards().give_back(std::move(saved));
      lease.end();
    }
  }
};

}  // namespace graphed
