// SPDX-License-Identifier: Apache-2.0
#include "watch/draw_watch.h"

#include "report/thread_number.h"
#include "torch/interception.h"
#include "torch/random_state.h"
#include "torch/tensors_of.h"
#include "watch/recorder.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace graphed::impl {
namespace {

// Never destroyed: threads draw while the process ends.
struct living_watches {
  std::mutex mutex;
  std::vector<draw_watch*> all;
  std::atomic<std::size_t> count{0};
};

living_watches& living() {
  static auto& made = *new living_watches;
  return made;
}

bool is_on(const c10::IValue& argument, c10::Device device) {
  bool found = false;
  for_each_tensor(argument, [&](const at::Tensor& tensor) { found |= tensor.defined() && tensor.device() == device; });
  return found;
}

// The thread for whose recording this one works, as autograd's do; else itself.
uint64_t whose_work() {
  const auto seen = active_recording();
  return seen != nullptr ? seen->thread() : thread_number();
}

}  // namespace

// An operator that only makes a tensor fills it by another one.
bool draws_from_default(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, c10::Device device) {
  if (!op.hasTag(at::Tag::nondeterministic_seeded)) {
    return false;
  }
  const at::Generator given = generator_given(op, arguments);
  return (!given.defined() || given == at::globalContext().defaultGenerator(device)) &&
         std::any_of(arguments.begin(), arguments.end(), [&](const c10::IValue& each) { return is_on(each, device); });
}

// Before the first state of the generator is read: what begins from now on is noticed. LibTorch documents that callbacks come and go where
// nothing else runs; in fact each thread takes a snapshot of them, under a mutex.
draw_watch::draw_watch(c10::Device device) : device_(device), thread_(thread_number()) {
  {
    auto& [mutex, all, count] = living();
    const std::lock_guard lock(mutex);
    all.push_back(this);
    count = all.size();
  }
  callback_ = at::addGlobalCallback(at::RecordFunctionCallback(&note_operator).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

draw_watch::~draw_watch() {
  at::removeCallback(callback_);
  auto& [mutex, all, count] = living();
  const std::lock_guard lock(mutex);
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
  count = all.size();
}

void draw_watch::note(uint64_t worker) { (worker == thread_ ? of_run_ : of_others_) = true; }

// It has not drawn yet, and comes here before it takes the generator's lock.
std::unique_ptr<at::ObserverContext> draw_watch::note_operator(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  const auto op = name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
  if (!op || !op->hasTag(at::Tag::nondeterministic_seeded)) {
    return nullptr;
  }
  const auto given = inputs_of(function);
  const std::size_t count = std::min(given.size(), op->schema().arguments().size());
  const std::vector<c10::IValue> arguments(given.end() - static_cast<std::ptrdiff_t>(count), given.end());
  const uint64_t worker = whose_work();
  auto& [mutex, all, living_count] = living();
  const std::lock_guard lock(mutex);
  for (auto* const each : all) {
    if (arguments.size() == op->schema().arguments().size() && draws_from_default(*op, arguments, each->device_)) {
      each->note(worker);
    }
  }
  return nullptr;
}

void draw_watch::note_replay(c10::Device device) {
  auto& [mutex, all, count] = living();
  if (count.load(std::memory_order_relaxed) == 0) {
    return;
  }
  const uint64_t worker = whose_work();
  const std::lock_guard lock(mutex);
  for (auto* const each : all) {
    if (each->device_ == device) {
      each->note(worker);
    }
  }
}

// Under the generator's lock: who draws later has come to the callback before, or draws what comes after the state.
void draw_watch::set_back(const at::Tensor& state) const {
  at::Generator generator = at::globalContext().defaultGenerator(device_);
  const auto lock = lock_for_a_look(generator);
  if (lock && state.defined() && !of_others_ && !same_bytes(generator.get_state(), state)) {
    generator.set_state(state);
  }
}

}  // namespace graphed::impl
