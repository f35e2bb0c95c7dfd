// SPDX-License-Identifier: Apache-2.0
//
// A body of a branch or a loop that is being recorded, and what it writes of other memory than its own.
#pragma once

#include "backend/tape/tape.h"
#include "watch/outside_watch.h"

namespace graphed::impl {

struct tape::body_in_hand {
  body_in_hand(tape& of, tape& body) : body(body), place(of.body_) {
    memory.tell(body);
    place = this;
  }
  ~body_in_hand() { place = nullptr; }
  body_in_hand& operator=(body_in_hand&&) = delete;

  void before(const operator_call& call) {
    memory.before(call);
    body.before(call);
  }
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
    memory.after(call, results);
    body.after(call, results);
  }
  void undeclared_write(const operator_call& call, const at::Tensor& argument) {
    memory.undeclared_write(call, argument);
    body.undeclared_write(call, argument);
  }

  outside_watch memory{/*host_tensors_allowed=*/true};
  tape& body;
  body_in_hand*& place;
};

}  // namespace graphed::impl
