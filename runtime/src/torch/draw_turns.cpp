// SPDX-License-Identifier: Apache-2.0
#include "torch/draw_turns.h"

#if !GRAPHED_LIBTORCH_AT_LEAST(2, 12)

#include <ATen/core/dispatch/Dispatcher.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace graphed::impl {

namespace {

/// For which an operator waits for its turn, at most. Without it, LibTorch may refuse the draw.
constexpr std::chrono::seconds longest_turn{30};

/// In which an operator that takes no turn, as it began before there were any, has drawn.
constexpr std::chrono::microseconds longest_draw{200};

std::timed_mutex turn;
draw_turns* taken_in = nullptr;  // under the turn
thread_local bool has_turn = false;

bool draws(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  const auto op = name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
  return op && op->hasTag(at::Tag::nondeterministic_seeded);
}

}  // namespace

/// An operator that draws, with all that it is made of.
class draw_turns::drawing final : public at::ObserverContext {
 public:
  drawing(std::unique_lock<std::timed_mutex> lock, const draw_turns& of) : lock_(std::move(lock)), of_(of), is_part_(of.is_part_()) {
    has_turn = true;
    if (!is_part_) {
      of_.set_captured_(false);
    }
  }
  ~drawing() override {
    if (!is_part_ && of_.has_begun_) {
      of_.set_captured_(true);
    }
    has_turn = false;
  }

 private:
  const std::unique_lock<std::timed_mutex> lock_;
  const draw_turns& of_;
  const bool is_part_;
};

std::unique_ptr<at::ObserverContext> draw_turns::take_turn(const at::RecordFunction& function) {
  if (has_turn || !draws(function)) {
    return nullptr;
  }
  std::unique_lock lock(turn, longest_turn);
  return lock && taken_in != nullptr ? std::make_unique<drawing>(std::move(lock), *taken_in) : nullptr;
}

// LibTorch documents that callbacks come and go where nothing else runs; in fact each thread takes a snapshot of them, under a mutex.
// What began before can no longer take a turn.
draw_turns::draw_turns(std::function<bool()> is_part, std::function<void(bool)> set_captured)
    : is_part_(std::move(is_part)), set_captured_(std::move(set_captured)) {
  const std::lock_guard lock(turn);
  taken_in = this;
  callback_ = at::addGlobalCallback(at::RecordFunctionCallback(&take_turn).scopes({at::RecordScope::FUNCTION}));
  made_ = std::chrono::steady_clock::now();
}

void draw_turns::await_earlier() const { std::this_thread::sleep_until(made_ + longest_draw); }

void draw_turns::begin() {
  const std::lock_guard lock(turn);
  set_captured_(true);
  has_begun_ = true;
}

draw_turns::~draw_turns() {
  {
    const std::lock_guard lock(turn);
    set_captured_(false);
    taken_in = nullptr;
  }
  at::removeCallback(callback_);
}

}  // namespace graphed::impl

#endif
