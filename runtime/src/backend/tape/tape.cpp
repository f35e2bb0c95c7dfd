// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/tape.h"

#include "backend/staging.h"
#include "backend/tape/body_in_hand.h"
#include "torch/random_state.h"
#include "watch/host_constants.h"
#include "watch/host_part.h"

#include <graphed/error.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

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

bool uses_tensors(c10::ArrayRef<c10::IValue> values) {
  bool found = false;
  for (const auto& value : values) {
    for_each_tensor(value, [&](const at::Tensor& tensor) { found |= tensor.defined(); });
  }
  return found;
}

// Whether a replay looks at what it does.
bool is_watched(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  return is_of_another_library(call.op.operator_name()) && (uses_tensors(call.arguments) || uses_tensors(results));
}

// Why an operator cannot be replayed, or null.
const char* refusal(const operator_call& call) {
  if (call.below.leaves_cpu()) {
    return "works on another device than the CPU";
  }
  if (call.has(trait::reads_value) || call.op.hasTag(at::Tag::data_dependent_output)) {
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

void check_kind(const operator_call& call, const at::Tensor& made) {
  const char* const kind = !made.defined()                 ? nullptr
                           : made.is_quantized()           ? "quantized"
                           : made.layout() != at::kStrided ? "not strided"
                           : made.is_nested()              ? "nested"
                                                           : nullptr;
  if (kind != nullptr) {
    throw CaptureError("operator " + full_name(call.op) + " makes a tensor that is " + kind);
  }
}

// An operator that its tags do not show to draw.
bool has_drawn_since(const at::Tensor& before) {
  const at::Tensor now = random_state(c10::kCPU);
  return before.defined() && now.defined() && !same_bytes(before, now);
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
  if (is_of_another_library(call.op.operator_name())) {
    library_operator::check_arguments(call);
    random_before_ = random_state(c10::kCPU);
  }
  if (is_collective(call.op.operator_name()) && writes_to_undo_) {
    throw CaptureError("operator " + full_name(call.op) + " comes after " + last_of_library_ +
                       ", an operator of another library: if that behaves differently in a replay, the other ranks do not know: call it "
                       "outside of the callable");
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
  note_order(call, results);
  if (body_ != nullptr) {
    body_->after(call, results);
  } else {
    record(call, results);
  }
}

void tape::undeclared_write(const operator_call& call, const at::Tensor& argument) {
  if (body_ != nullptr) {
    body_->undeclared_write(call, argument);
  }
}

void tape::note_order(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  const auto& name = call.op.operator_name();
  if (is_host_part(name) || is_collective(name)) {
    never_undone_ = is_host_part(name) ? "a host part" : "a collective";
  }
  if (!is_watched(call, results)) {
    return;
  }
  if (!never_undone_.empty()) {
    throw CaptureError("operator " + full_name(call.op) + " of another library comes after " + never_undone_ +
                       ", which no replay could take back if the operator behaved differently than in the capture: call it before");
  }
  writes_to_undo_ = before_writes_.size();
  last_of_library_ = full_name(call.op);
}

void tape::record(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
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
    for_each_tensor(result, [&](const at::Tensor& made) { check_kind(call, made); });
  }
  step made{call.op, call.below, c10::GradMode::is_enabled(), {}, {}, {}, std::nullopt};
  for (const auto& argument : call.arguments) {
    made.arguments.push_back(frozen(argument));
  }
  if (is_watched(call, results)) {
    made.of_library = std::make_shared<const library_operator>(call, results, *inputs_);
  }
  const auto& schema = call.op.schema();
  const bool has_effect_alone = results.empty() && uses_tensors(call.arguments);  // as an assertion has
  bool has_data = schema.is_mutable() || is_host_part(call.op.operator_name()) || made.of_library || has_effect_alone;
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
  made.draws = draws_from_default(call.op, call.arguments, c10::kCPU) || (made.of_library && has_drawn_since(random_before_));
  made.runs_apart = made.is_host_part || made.draws || made.of_library;
  steps_.push_back(std::move(made));
}

void tape::step::find_direct() {
  if (std::find(are_data.begin(), are_data.end(), false) == are_data.end()) {
    direct = find_direct_call(op, below, arguments, results);
  } else if (std::find(are_data.begin(), are_data.end(), true) == are_data.end()) {
    direct = find_direct_call(op, below, arguments, {});
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
  const auto count_memory = [&](const at::Tensor& memory) { ++held[memory.storage().unsafeGetStorageImpl()]; };
  for_each_step([&](const step& step) {
    if (step.of_library) {
      step.of_library->for_each_memory(count_memory);
    }
    count(step.arguments);
    count(step.results);
    if (step.direct) {
      count(step.direct->arguments);
    }
  });
  if (undo_) {
    undo_->for_each_memory(count_memory);
  }
  return held;
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
}

void tape::settle() {
  undo_ = make_undo();
  before_writes_.clear();
  inputs_ = nullptr;
  random_before_.reset();
}

// Of what is written before the last operator that may behave differently.
std::unique_ptr<replay_undo> tape::make_undo() const {
  if (!writes_to_undo_) {
    return nullptr;
  }
  std::vector<at::Tensor> written;
  std::unordered_set<const c10::StorageImpl*> known;
  for (std::size_t i = 0; i < *writes_to_undo_; ++i) {
    const at::Tensor& memory = before_writes_[i].first;
    if (known.insert(memory.storage().unsafeGetStorageImpl()).second) {
      written.push_back(memory);
    }
  }
  std::vector<at::Generator> generators;
  bool draws = false;
  for_each_step([&](const step& step) {
    draws |= step.draws;
    for (const auto& argument : step.arguments) {
      if (argument.isGenerator() && argument.toGenerator() != at::globalContext().defaultGenerator(c10::kCPU)) {
        generators.push_back(argument.toGenerator());
      }
    }
  });
  return std::make_unique<replay_undo>(std::move(written), std::move(generators), draws);
}

uint64_t tape::bytes() const {
  std::unordered_set<const c10::StorageImpl*> storages;
  uint64_t total = undo_ ? undo_->bytes() : 0;
  for_each_step([&](const step& step) {
    for (const auto& result : step.results) {
      for_each_storage(result, [&](const c10::StorageImpl* storage) { total += storages.insert(storage).second ? storage->nbytes() : 0; });
    }
  });
  return total;
}

}  // namespace graphed::impl
