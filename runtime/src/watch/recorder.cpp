// SPDX-License-Identifier: Apache-2.0
#include "watch/recorder.h"

#include "report/log.h"
#include "report/pages.h"
#include "report/thread_number.h"
#include "torch/debug_info.h"
#include "torch/modes.h"
#include "watch/undeclared_writes.h"

#include <graphed/error.h>

#include <torch/csrc/autograd/function.h>

#include <atomic>
#include <memory>
#include <utility>

namespace graphed::impl {
namespace {

constexpr auto meeting_place = interception_place::below_autograd;

std::atomic<bool> always_told{false};
thread_local int unrecorded_depth = 0;

thread_local bool has_thread_ended = false;

/// exit() within a capture destroys this thread's storage, but nothing of the functions that are under way: the recording ends here.
struct end_of_thread {
  ~end_of_thread() {
    drop_debug_info();
    has_thread_ended = true;
  }
};

}  // namespace

class recording_info final : public shown_in_scope<recording> {
 public:
  recording_info(std::shared_ptr<recording> seen, bool is_told) : shown_in_scope(std::move(seen)), is_told(is_told) {}
  const bool is_told;  ///< by RecordFunction
};

namespace {

struct active {
  std::shared_ptr<recording> seen;  ///< null where there is none
  bool is_told = false;
};

active active_now() {
  const auto* const info = dynamic_cast<const recording_info*>(c10::ThreadLocalDebugInfo::get(recording_info_kind));
  return info == nullptr ? active() : active{info->get(), info->is_told};
}

// The parts of such an operator are recorded. Autograd has taken it apart before it is met, inference mode has not.
bool is_made_of_others(const c10::OperatorHandle& op, const dispatch_path& below) {
  return below.takes_apart(op) && !has_trait(op, trait::has_kernel);
}

// Of a number that the callable may return: what is recorded is a copy of the tensor.
bool read_for_result(recording& seen, const c10::OperatorHandle& op, const dispatch_path& below, torch::jit::Stack& stack) {
  if (seen.host_reads() == nullptr || inside_body() || !has_trait(op, trait::reads_number) ||
      !seen.takes_read_of(stack.back().toTensor())) {
    return false;
  }
  at::Tensor copy;
  {
    const untraced not_of_the_callable;
    const below_autograd_and_autocast values_alone;
    copy = stack.back().toTensor().clone();
  }
  if (seen.host_reads()->gives_placeholders()) {
    const auto placeholder = seen.note_read(copy, {});
    if (placeholder) {
      stack.back() = *placeholder;
    }
    return placeholder.has_value();
  }
  const interception_pause once(meeting_place);
  below.call(op, stack);
  seen.note_read(copy, stack.back().toScalar());
  return true;
}

void meet(const c10::OperatorHandle& op, const dispatch_path& below, torch::jit::Stack& stack) {
  if (is_made_of_others(op, below)) {
    below.call(op, stack);
    return;
  }
  const active now = active_now();
  if (now.seen && read_for_result(*now.seen, op, below, stack)) {
    return;
  }
  const interception_pause once(meeting_place);
  if (!now.seen) {
    below.call(op, stack);
    return;
  }
  recording& seen = *now.seen;
  const std::vector<c10::IValue> arguments(stack.end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size()), stack.end());
  const operator_call call{op, below, arguments};
  {
    const unrecorded_scope not_of_the_callable;
    if (!now.is_told) {
      seen.before(call);
    }
    seen.before_kernel(call);
  }
  undeclared_writes written(call);
  try {
    if (!seen.run_as_copy_of_constant(call, stack)) {
      below.call(op, stack);
    }
  } catch (...) {
    seen.note_failure();
    throw;
  }
  const auto results = c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - op.schema().returns().size());
  const unrecorded_scope not_of_the_callable;
  written.tell([&](const at::Tensor& argument) { seen.note_undeclared_write(call, argument); });
  if (!now.is_told) {
    seen.after(call, results);
  }
  seen.after_kernel(call, results);
}

/// An operator that RecordFunction reports, or a part of one that has been shown.
struct told_operator : at::ObserverContext {
  virtual void end(c10::ArrayRef<c10::IValue> results) = 0;
};

thread_local int shown_depth = 0;

// What observers throw goes no further, as LibTorch would drop it: the recording keeps it.
template <class Show>
void show(Show show) {
  const unrecorded_scope not_of_the_callable;
  const interception_pause not_exchanged(interception_place::above_autograd);
  const below_autograd_and_autocast values_alone;
  try {
    show();
  } catch (const std::exception&) {  // check_complete() reports it
  }
}

class shown_operator final : public told_operator {
 public:
  shown_operator(std::shared_ptr<recording> seen, const c10::OperatorHandle& op, const dispatch_path& below,
                 std::vector<c10::IValue> arguments)
      : seen_(std::move(seen)), op_(op), below_(below), arguments_(std::move(arguments)), call_{op_, below_, arguments_} {
    show([this] { seen_->before(call_); });
    ++shown_depth;
  }
  ~shown_operator() override { --shown_depth; }

  void end(c10::ArrayRef<c10::IValue> results) override {
    const std::size_t count = op_.schema().returns().size();
    if (results.size() >= count) {
      show([&] { seen_->after(call_, results.slice(results.size() - count)); });
    }
  }

 private:
  const std::shared_ptr<recording> seen_;
  const c10::OperatorHandle op_;
  const dispatch_path below_;
  const std::vector<c10::IValue> arguments_;
  const operator_call call_;
};

class part_of_an_operator final : public told_operator {
 public:
  explicit part_of_an_operator(std::shared_ptr<recording> seen) : seen_(std::move(seen)) {}
  void end(c10::ArrayRef<c10::IValue> results) override { seen_->note_made(results); }

 private:
  const std::shared_ptr<recording> seen_;
};

std::unique_ptr<told_operator> make_told(const std::shared_ptr<recording>& seen, const at::RecordFunction& function) {
  if (shown_depth != 0) {
    return std::make_unique<part_of_an_operator>(seen);
  }
  const auto name = function.operator_name();
  const auto op = name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
  const auto given = inputs_of(function);
  if (!op || given.size() < op->schema().arguments().size() || has_trait(*op, trait::of_autograd)) {
    return nullptr;  // else a range of the user's
  }
  const auto inputs = given.slice(given.size() - op->schema().arguments().size());
  std::vector<c10::IValue> arguments(inputs.begin(), inputs.end());
  const auto below = dispatch_path::for_arguments(arguments);
  if (is_made_of_others(*op, below)) {
    return nullptr;
  }
  return std::make_unique<shown_operator>(seen, *op, below, std::move(arguments));
}

std::unique_ptr<at::ObserverContext> note_begin(const at::RecordFunction& function) {
  const auto seen = active_recording();
  return seen == nullptr || unrecorded_depth != 0 ? nullptr : make_told(seen, function);
}

// An operator that has thrown has no results.
void note_end(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context != nullptr) {
    static_cast<told_operator*>(context)->end(function.outputs());
  }
}

// For each node that autograd runs.
std::unique_ptr<at::ObserverContext> note_backward(const at::RecordFunction& /*node*/) {
  if (const auto seen = active_recording()) {
    seen->note_backward();
  }
  return nullptr;
}

std::shared_ptr<recording_info> info_for(const std::shared_ptr<recording>& seen) {
  static std::atomic<bool> has_warned{false};
  if (!are_operators_met() && !has_warned.exchange(true)) {
    warn(
        "graphed: another library has taken the place in LibTorch's dispatcher where the runtime meets operators: RecordFunction reports "
        "less" +
        see(pages::compatibility));
  }
  return std::make_shared<recording_info>(seen, always_told || !are_operators_met());
}

}  // namespace

bool are_operators_met() {
  static const bool are_met = [] {
    if (is_taken(meeting_place)) {
      return false;
    }
    install_interceptor(meeting_place, &meet);
    install_raw_composites();
    return true;
  }();
  return are_met;
}

void require_operators_met() {
  if (!are_operators_met()) {
    throw CaptureError("another library has taken the place in LibTorch's dispatcher where operators on a CPU are recorded");
  }
}

void tell_by_record_function(bool always) { always_told = always; }

recording_scope::recording_scope(const std::shared_ptr<recording>& seen) : shown_(info_for(seen)), info_(recording_info_kind, shown_) {
  static const thread_local end_of_thread comes_before_that_of_debug_info;
  auto* const profiler = c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE);
  if (profiler == nullptr || dynamic_cast<device_allocations*>(profiler) != nullptr) {  // else it gets the report
    allocations_.emplace(c10::DebugInfoKind::PROFILER_STATE, seen->tensors()->allocations());
  }
  callbacks_.push_back(at::addThreadLocalCallback(at::RecordFunctionCallback(&note_backward).scopes({at::RecordScope::BACKWARD_FUNCTION})));
  if (shown_->is_told) {
    told_.emplace(/*is_enabled=*/true);
    callbacks_.push_back(at::addThreadLocalCallback(
        at::RecordFunctionCallback(&note_begin, &note_end).needsInputs(true).needsOutputs(true).scopes({at::RecordScope::FUNCTION})));
  }
  if (are_operators_met()) {
    operators_.emplace(meeting_place);
  }
}

// An observer that is shown an operator keeps the recording from its end: until then it finds the recording active.
recording_scope::~recording_scope() {
  shown_->get()->end();
  shown_->end();
  for (const auto callback : callbacks_) {
    at::removeCallback(callback);
  }
}

bool is_thread_over() { return has_thread_ended; }

unrecorded_scope::unrecorded_scope() : operators_(meeting_place) { ++unrecorded_depth; }

unrecorded_scope::~unrecorded_scope() { --unrecorded_depth; }

hidden_recording::hidden_recording() : none_(recording_info_kind, std::make_shared<recording_info>(nullptr, /*is_told=*/false)) {}

std::shared_ptr<recording> active_recording() { return active_now().seen; }

std::shared_ptr<recording> own_recording() {
  auto seen = active_recording();
  const bool is_own = seen && (seen->thread() == thread_number() || torch::autograd::get_current_node() != nullptr);
  return is_own ? seen : nullptr;
}

bool inside_capture() {
  if (c10::ThreadLocalDebugInfo::get(recording_info_kind) == nullptr) {
    return false;
  }
  const auto seen = active_recording();
  return seen != nullptr && seen->is_capture();
}

const at::Tensor& gradient_of(const at::Tensor& parameter) {
  if (const auto seen = active_recording()) {
    seen->tensors()->note_gradient_of(parameter);
  }
  return parameter.grad();
}

}  // namespace graphed::impl
