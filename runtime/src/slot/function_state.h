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
  std::atomic<uint64_t> gone_back{0};           ///< parts of the captured graph, by backwards that did not keep it
  std::vector<backward_table::cut_edge> aside;  ///< of the node, until the backward under way is over

  const captured_callable& callable() const { return served_by->callable(); }
  /// Whether a backward with these gradients leaves, or an earlier one has left, a part for another.
  bool goes_back_in_parts(const tensor_list& incoming) const { return gone_back != 0 || callable().parts_of(incoming) != callable().parts; }
  /// Throws eager's error where it has been gone back through already.
  void check_gone_back(const tensor_list& incoming) const;
  /// At the end of the node's part of a backward.
  void note_gone_back(const tensor_list& incoming);
  bool is_done() const { return !served_by || gone_back == callable().parts; }
  void cut_unreached(function& node, const tensor_list& incoming, const tensor_list& gradients);

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
