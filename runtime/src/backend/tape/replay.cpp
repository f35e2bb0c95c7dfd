// SPDX-License-Identifier: Apache-2.0
//
// Runs the operators of a tape again.
#include "backend/tape/tape.h"

#include "backend/captured_graph.h"
#include "backend/staging.h"
#include "report/run/collecting.h"
#include "torch/modes.h"
#include "watch/host_part.h"

#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>

#include <chrono>

namespace graphed::impl {

void tape::replay(replay_turns& turns) const {
  if (host_parts_ != 0) {
    torch::jit::Stack stack;
    replay(stack, turns);
    return;
  }
  const std::lock_guard lock(replay_mutex_);
  const auto end = c10::make_scope_exit([this] { stack_.clear(); });  // its memory serves the next replay
  replay(stack_, turns);
}

void tape::replay(torch::jit::Stack& stack, replay_turns& turns) const {
  const below_autograd_and_autocast values_alone;
  const c10::AutoGradMode restore_grad_mode(false);
  if (!undo_) {
    return run_once(stack, turns);
  }
  undo_->begin();
  const auto end = c10::make_scope_exit([this] { undo_->end(); });
  try {
    run_once(stack, turns);
  } catch (const changed_results&) {
    undo_->take_back();
    throw;
  }
}

void tape::run_once(torch::jit::Stack& stack, replay_turns& turns) const {
  if (times_ && times_->wants()) {
    std::vector<double> times;
    times.reserve(steps_.size());
    bool grad_mode = c10::GradMode::is_enabled();
    for (const step& step : steps_) {
      const auto begin = report_clock::now();
      run(step, stack, &turns, grad_mode);
      times.push_back(std::chrono::duration<double, std::micro>(report_clock::now() - begin).count());
    }
    times_->add(times);
    return;
  }
  run_all(stack, &turns);
}

void tape::run_all(torch::jit::Stack& stack, replay_turns* turns) const {
  bool grad_mode = c10::GradMode::is_enabled();
  for (const step& step : steps_) {
    run(step, stack, turns, grad_mode);
  }
}

void tape::run(const step& step, torch::jit::Stack& stack, replay_turns* turns, bool& grad_mode) const {
  if (step.grad_mode != grad_mode) {
    grad_mode = step.grad_mode;
    c10::GradMode::set_enabled(grad_mode);
  }
  if (step.runs_apart) {
    run_apart(step, stack, turns);
  } else {
    step.run(stack);
  }
  if (!step.direct) {
    take_results(step, stack);
  }
}

void tape::run_apart(const step& step, torch::jit::Stack& stack, replay_turns* turns) {
  if (step.is_host_part) {
    const replay_turns::part within(*turns);
    step.run(stack);
    check_results(stack[0].toTensorVector(), step.results[0].toTensorVector());
    return;
  }
  if (step.draws) {
    draw_watch::note_replay(c10::kCPU);
  }
  if (step.of_library) {
    step.of_library->begin();
    const dispatch_modes::scope as_captured(step.of_library->modes());
    step.run(stack);
  } else {
    step.run(stack);
  }
  if (step.draws) {
    draw_watch::note_replay(c10::kCPU);
  }
  if (step.of_library) {
    step.of_library->check(step.arguments, stack);
  }
}

void tape::step::run(torch::jit::Stack& stack) const {
  if (chosen) {
    return chosen->run(stack);
  }
  const auto& given = direct ? direct->arguments : arguments;
  stack.assign(given.begin(), given.end());
  below.call(direct ? direct->op : op, stack);
}

void tape::take_results(const step& step, const torch::jit::Stack& stack) const {
  for (std::size_t i = 0; i < step.are_data.size(); ++i) {
    if (!step.are_data[i]) {
      continue;
    }
    if (step.results[i].isTensor()) {
      take_result(step.results[i].toTensor(), stack[i].toTensor(), stack[i].toTensor().use_count() == 1);
      continue;
    }
    const auto recorded = step.results[i].toTensorVector();
    const auto fresh = stack[i].toTensorVector();
    for (std::size_t j = 0; j < recorded.size(); ++j) {
      take_result(recorded[j], fresh[j], fresh[j].use_count() == 2);
    }
  }
}

void tape::take_result(const at::Tensor& recorded, const at::Tensor& fresh, bool is_alone) const {
  if (!recorded.defined() || recorded.is_alias_of(fresh)) {
    return;
  }
  auto* to = recorded.storage().unsafeGetStorageImpl();
  auto* from = fresh.storage().unsafeGetStorageImpl();
  const bool can_move = pinned_.count(to) == 0 && is_alone && fresh.storage().use_count() == 1 && from->nbytes() == to->nbytes() &&
                        fresh.storage_offset() == recorded.storage_offset() && fresh.strides() == recorded.strides();
  if (can_move) {
    to->set_data_ptr_noswap(from->set_data_ptr(c10::DataPtr(nullptr, fresh.device())));
  } else {
    copy_value(recorded, fresh);
  }
}

}  // namespace graphed::impl
