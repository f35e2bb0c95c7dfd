// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/tape.h"

#include "backend/staging.h"
#include "report/run/collecting.h"
#include "torch/modes.h"
#include "watch/host_constants.h"
#include "watch/host_part.h"

#include <graphed/error.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <chrono>

namespace graphed::impl {
namespace {

bool aliases_any(const at::Tensor& result, const std::vector<c10::IValue>& arguments) {
  return result.defined() && std::any_of(arguments.begin(), arguments.end(), [&](const c10::IValue& argument) {
           return argument.isTensor() && argument.toTensor().defined() && argument.toTensor().has_storage() &&
                  result.is_alias_of(argument.toTensor());
         });
}

bool has_mask(const c10::IValue& indices) {
  bool found = false;
  for_each_tensor(indices, [&](const at::Tensor& index) {
    found |= index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
  });
  return found;
}

// Whether the caller says how large the result is, as repeat_interleave's may, and one_hot's.
bool is_told_size(const operator_call& call) {
  const auto place = call.op.schema().argumentIndexWithName("output_size");
  const auto classes = call.op.schema().argumentIndexWithName("num_classes");
  return (place && !call.arguments[static_cast<std::size_t>(*place)].isNone()) ||
         (classes && call.arguments[static_cast<std::size_t>(*classes)].toInt() >= 0);
}

// Why an operator cannot be replayed, or null.
const char* refusal(const operator_call& call) {
  if (call.below.leaves_cpu()) {
    return "works on another device than the CPU";
  }
  if (call.has(trait::reads_value)) {
    return "reads a tensor's value on the host";
  }
  if (call.has(trait::reads_error)) {
    return "reads an error code on the host";
  }
  if (call.has(trait::shaped_by_mask)) {
    return has_mask(call.arguments[1]) && !fills_by_mask(call) ? "has a shape that depends on a mask's values" : nullptr;
  }
  if ((call.op.hasTag(at::Tag::dynamic_output_shape) && !is_told_size(call)) || call.has(trait::shaped_by_values)) {
    return "has a result whose shape depends on values";
  }
  return nullptr;
}

// Whether an operator writes every byte of its first argument's storage, which it does not read.
bool overwrites_storage(const operator_call& call) {
  if (!call.has(trait::fills)) {
    return false;
  }
  const at::Tensor& written = call.arguments[0].toTensor();
  return written.has_storage() && written.is_non_overlapping_and_dense() && written.nbytes() == written.storage().nbytes() &&
         !aliases_any(written, call.arguments.slice(1).vec());
}

// Whether this result, one tensor or a list, shows memory of the arguments, whatever the schema says: unsafe_split's do.
bool is_view(const c10::IValue& result, const std::vector<c10::IValue>& arguments) {
  if (result.isTensor()) {
    return aliases_any(result.toTensor(), arguments);
  }
  const auto list = result.toTensorVector();
  return std::all_of(list.begin(), list.end(), [&](const at::Tensor& tensor) { return aliases_any(tensor, arguments); });
}

// The same value, with tensors that later changes of autograd, metadata or storage of the caller's handles do not reach.
c10::IValue frozen(const c10::IValue& value) {
  return with_each_tensor(value, [](const at::Tensor& tensor) {
    return tensor.defined() ? at::Tensor(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0),
                                                                                               /*allow_tensor_metadata_change=*/true))
                            : tensor;
  });
}

}  // namespace

void tape::before(const operator_call& call) {
  if (body_ != nullptr) {
    return body_->before(call);
  }
  if (const char* why = refusal(call)) {
    throw CaptureError("operator " + full_name(call.op) + " " + why);
  }
  if (overwrites_storage(call)) {
    allocated_.erase(call.arguments[0].toTensor().storage().unsafeGetStorageImpl());
  }
  if (is_host_part(call.op.operator_name())) {
    fill_all_from_host();
  }
  for (const auto& argument : call.arguments) {
    for_each_storage(argument, [this](const c10::StorageImpl* storage) { fill_from_host(storage); });
  }
}

// A host part may write any of them: what the callable has written before comes first.
void tape::fill_all_from_host() {
  while (!allocated_.empty()) {
    fill_from_host(allocated_.begin()->first);
  }
}

// The first operator that uses allocated memory may find there what the callable wrote on the host: each replay restores it.
void tape::fill_from_host(const c10::StorageImpl* used) {
  const auto found = allocated_.find(used);
  if (found == allocated_.end()) {
    return;
  }
  const c10::Storage storage(found->second.lock());  // null: another storage is at the same address
  allocated_.erase(found);
  if (!storage || storage.nbytes() == 0) {
    return;
  }
  static const auto copy = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  const at::Tensor bytes = bytes_of(storage);
  steps_.push_back({copy,
                    dispatch_path::to_cpu_kernel(),
                    false,
                    {bytes, copy_of(bytes), false},
                    {bytes},
                    {false},
                    std::nullopt,
                    /*is_callables=*/false});
}

void tape::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  if (body_ != nullptr) {
    return body_->after(call, results);
  }
  if (call.has(trait::allocates)) {
    const at::Tensor& made = results[0].toTensor();
    if (made.has_storage()) {
      allocated_.insert_or_assign(made.storage().unsafeGetStorageImpl(), made.storage().getWeakStorageImpl());
    }
    return;
  }
  if (call.op.hasTag(at::Tag::inplace_view)) {
    return;
  }
  for (const auto& result : results) {
    const at::Tensor made = result.isTensor() ? result.toTensor() : at::Tensor();
    if (made.defined() && (made.layout() != at::kStrided || made.is_quantized())) {
      throw CaptureError("operator " + full_name(call.op) + " makes a tensor that is " +
                         (made.is_quantized() ? "quantized" : "not strided"));
    }
  }
  step made{call.op, call.below, c10::GradMode::is_enabled(), {}, {}, {}, std::nullopt};
  for (const auto& argument : call.arguments) {
    made.arguments.push_back(frozen(argument));
  }
  const auto& schema = call.op.schema();
  bool has_data = schema.is_mutable() || is_host_part(call.op.operator_name());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_tensor = results[i].isTensor() || results[i].isTensorList();
    const bool is_alias = schema.returns()[i].alias_info() != nullptr;
    const bool is_data = is_tensor && !is_alias && !is_view(results[i], made.arguments);
    has_data |= is_data;
    made.results.push_back(frozen(results[i]));
    made.are_data.push_back(is_data);
  }
  if (!has_data) {
    return;  // a view shows the recorded storage anyway
  }
  made.find_direct();
  made.is_host_part = is_host_part(call.op.operator_name());
  host_parts_ += made.is_host_part ? 1 : 0;
  made.draws = draws_from_default(call.op, call.arguments, c10::kCPU);
  steps_.push_back(std::move(made));
}

void tape::step::find_direct() {
  if (std::find(are_data.begin(), are_data.end(), false) == are_data.end()) {
    direct = find_direct_call(op, below, arguments, results);
  } else if (std::find(are_data.begin(), are_data.end(), true) == are_data.end()) {
    direct = find_direct_call(op, below, arguments, {});
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
  if (step.is_host_part || step.draws) {
    run_watched(step, stack, turns);
  } else {
    step.run(stack);
  }
  if (!step.direct) {
    take_results(step, stack);
  }
}

void tape::run_watched(const step& step, torch::jit::Stack& stack, replay_turns* turns) {
  if (step.is_host_part) {
    const replay_turns::part within(*turns);
    step.run(stack);
  } else {
    draw_watch::note_replay(c10::kCPU);
    step.run(stack);
    draw_watch::note_replay(c10::kCPU);
  }
}

std::vector<operator_time> tape::operator_times() const {
  const std::vector<double> times = times_ ? times_->all() : std::vector<double>();
  std::vector<operator_time> told;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (steps_[i].is_callables) {
      told.push_back({full_name(steps_[i].op), times[i]});
    }
  }
  return told;
}

std::unordered_map<const c10::StorageImpl*, std::size_t> tape::held_memory() const {
  std::unordered_map<const c10::StorageImpl*, std::size_t> held;
  std::unordered_set<const c10::TensorImpl*> known;  // a direct call has tensors of its operator
  const auto count = [&](const std::vector<c10::IValue>& values) {
    for (const auto& value : values) {
      for_each_tensor(value, [&](const at::Tensor& tensor) {
        if (tensor.defined() && tensor.has_storage() && known.insert(tensor.unsafeGetTensorImpl()).second) {
          ++held[tensor.storage().unsafeGetStorageImpl()];
        }
      });
    }
  };
  for_each_step([&](const step& step) {
    count(step.arguments);
    count(step.results);
    if (step.direct) {
      count(step.direct->arguments);
    }
  });
  return held;
}

void tape::take_results(const step& step, const torch::jit::Stack& stack) const {
  if (step.is_host_part) {
    check_results(stack[0].toTensorVector(), step.results[0].toTensorVector());
  }
  for (std::size_t i = 0; i < step.are_data.size(); ++i) {
    if (!step.are_data[i]) {
      continue;
    }
    if (step.results[i].isTensor()) {
      take_result(step.results[i].toTensor(), stack[i].toTensor());
      continue;
    }
    const auto recorded = step.results[i].toTensorVector();
    const auto fresh = stack[i].toTensorVector();
    for (std::size_t j = 0; j < recorded.size(); ++j) {
      take_result(recorded[j], fresh[j]);
    }
  }
}

void tape::take_result(const at::Tensor& recorded, const at::Tensor& fresh) const {
  if (!recorded.defined() || recorded.is_alias_of(fresh)) {
    return;
  }
  auto* to = recorded.storage().unsafeGetStorageImpl();
  auto* from = fresh.storage().unsafeGetStorageImpl();
  const bool can_move = pinned_.count(to) == 0 && fresh.storage().use_count() == 1 && from->nbytes() == to->nbytes() &&
                        fresh.storage_offset() == recorded.storage_offset() && fresh.strides() == recorded.strides();
  if (can_move) {
    to->set_data_ptr_noswap(from->set_data_ptr(c10::DataPtr(nullptr, fresh.device())));
  } else {
    copy_value(recorded, fresh);
  }
}

void tape::pin(at::TensorList tensors) {
  for (const auto& tensor : tensors) {
    for_each_storage(tensor, [this](const c10::StorageImpl* storage) {
      pinned_.insert(storage);
      fill_from_host(storage);
    });
  }
  for_each_body([&](tape& body) { body.pin(tensors); });
}

void tape::pin_results() {
  for (const step& step : steps_) {
    step.for_each_made([this](const c10::StorageImpl* storage) { pinned_.insert(storage); });
  }
  for_each_body([](tape& body) { body.pin_results(); });
}

void tape::before_write(const at::Tensor& tensor) {
  const at::Tensor bytes = bytes_of(tensor.storage());
  before_writes_.emplace_back(bytes, copy_of(bytes));
}

void tape::undo() {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  for (auto write = before_writes_.rbegin(); write != before_writes_.rend(); ++write) {
    write->first.copy_(write->second);
  }
  before_writes_.clear();
}

uint64_t tape::bytes() const {
  std::unordered_set<const c10::StorageImpl*> storages;
  uint64_t total = 0;
  for_each_step([&](const step& step) {
    for (const auto& result : step.results) {
      for_each_storage(result, [&](const c10::StorageImpl* storage) { total += storages.insert(storage).second ? storage->nbytes() : 0; });
    }
  });
  return total;
}

}  // namespace graphed::impl
