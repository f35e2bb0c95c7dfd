// SPDX-License-Identifier: Apache-2.0
#include "watch/recorder.h"

#include "torch/debug_info.h"
#include "torch/raw_composites.h"

#include <memory>
#include <vector>

namespace graphed {
namespace {

constexpr auto recorder = interception_place::below_autograd;

struct recording_info : c10::DebugInfoBase {
  explicit recording_info(recording& seen) : seen(&seen) {}
  recording* seen;
};

// The parts of an operator that is made of others are recorded: autograd has taken it apart before it comes here, inference mode has not.
void record(const c10::OperatorHandle& op, const dispatch_path& below, torch::jit::Stack& stack) {
  if (below.takes_apart(op) && !has_trait(op, trait::has_kernel)) {
    below.call(op, stack);
    return;
  }
  const interception_pause once(recorder);
  recording* seen = active_recording();
  if (seen == nullptr) {
    below.call(op, stack);
    return;
  }
  const std::vector<c10::IValue> arguments(stack.end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size()), stack.end());
  const operator_call call{op, below, arguments};
  seen->before(call);
  below.call(op, stack);
  const std::size_t results = op.schema().returns().size();
  seen->after(call, c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - results));
}

void install_recorder() {
  static const bool once = [] {
    install_interceptor(recorder, &record);
    install_raw_composites();
    return true;
  }();
  static_cast<void>(once);
}

// For each node that autograd runs.
std::unique_ptr<at::ObserverContext> note_backward(const at::RecordFunction& /*node*/) {
  if (recording* seen = active_recording()) {
    seen->note_backward();
  }
  return nullptr;
}

}  // namespace

recording_scope::recording_scope(recording& seen)
    : info_(recording_info_kind, (install_recorder(), std::make_shared<recording_info>(seen))),
      backwards_(at::addThreadLocalCallback(at::RecordFunctionCallback(&note_backward).scopes({at::RecordScope::BACKWARD_FUNCTION}))),
      operators_(recorder) {}

recording_scope::~recording_scope() { at::removeCallback(backwards_); }

unrecorded_scope::unrecorded_scope() : operators_(recorder) {}

recording* active_recording() {
  const auto* info = dynamic_cast<recording_info*>(c10::ThreadLocalDebugInfo::get(recording_info_kind));
  return info == nullptr ? nullptr : info->seen;
}

bool inside_capture() {
  const recording* seen = active_recording();
  return seen != nullptr && seen->is_capture();
}

const at::Tensor& gradient_of(const at::Tensor& parameter) {
  if (recording* seen = active_recording(); seen != nullptr && !parameter.grad().defined()) {
    seen->note_gradient_of(parameter);
  }
  return parameter.grad();
}

}  // namespace graphed
