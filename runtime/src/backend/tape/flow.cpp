// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops of a tape: each body is a tape of its own.
#include "backend/tape/body_in_hand.h"
#include "torch/modes.h"
#include "watch/recorder.h"

#include <optional>
#include <utility>

namespace graphed::impl {

void tape::flow::run(torch::jit::Stack& stack) const {
  if (!choice.is_loop()) {
    bodies[is_true() ? 0 : 1]->run_all(stack);
    return;
  }
  for (int64_t times = 0; times < *choice.at_most && is_true(); ++times) {
    bodies.front()->run_all(stack);
  }
}

void tape::choose(const flow_choice& what, c10::ArrayRef<flow_body> bodies) {
  if (body_ != nullptr) {
    return body_->body.choose(what, bodies);
  }
  fill_all_from_host();
  const auto before = std::exchange(writes_to_undo_, std::nullopt);
  const auto made = std::make_shared<flow>();
  made->choice = what;
  const bool is_true = made->is_true() && what.at_most != 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    made->bodies.push_back(std::make_unique<tape>(*inputs_));
  }
  for (std::size_t turn = 0; turn < bodies.size(); ++turn) {
    const std::size_t number = what.body_in_turn(turn);
    tape& body = *made->bodies[number];
    {
      const body_in_hand recorded(*this, body);
      bodies[number]();
    }
    const unrecorded_scope not_of_the_graph;
    if (is_true != (number == 0)) {
      body.undo();
    }
    body.before_writes_.clear();
  }
  // A second iteration writes before it comes to the operator.
  writes_to_undo_ = writes_to_undo_ ? std::optional(before_writes_.size()) : before;
  if (what.is_loop() && is_true) {
    run_rest(*made);
  }
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(what.name(), "");
  step& added = steps_.emplace_back(step{op, dispatch_path::to_cpu_kernel(), false, {what.truth}, {}, {}, std::nullopt});
  added.chosen = made;
}

// What comes after the first time, which was the recording.
void tape::run_rest(const flow& recorded) {
  const unrecorded_scope not_of_the_graph;
  const below_autograd_and_autocast values_alone;
  const c10::AutoGradMode restore_grad_mode(false);
  torch::jit::Stack stack;
  for (int64_t times = 1; times < *recorded.choice.at_most && recorded.is_true(); ++times) {
    recorded.bodies.front()->run_all(stack);
  }
}

}  // namespace graphed::impl
