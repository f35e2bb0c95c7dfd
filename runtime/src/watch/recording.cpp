// SPDX-License-Identifier: Apache-2.0
#include "watch/recording.h"

#include "report/text.h"
#include "torch/debug_info.h"
#include "torch/random_state.h"
#include "torch/raw_composites.h"
#include "torch/tensors_of.h"
#include "watch/frozen_update.h"

#include <atomic>
#include <utility>

namespace graphed {
namespace {

constexpr auto recorder = interception_place::below_autograd;

struct recording_info : c10::DebugInfoBase {
  explicit recording_info(recording& seen) : seen(&seen) {}
  recording* seen;
};

// The parts of an operator that is made of others are recorded: autograd has taken it apart before it comes here, inference mode has not.
void record(const c10::OperatorHandle& op, const dispatch_path& below, torch::jit::Stack& stack) {
  if (!is_raw_composite(op) && below.takes_apart(op)) {
    below.call(op, stack);
    return;
  }
  const interception_pause once(recorder);
  recording* seen = active_recording();
  if (seen == nullptr) {
    below.call(op, stack);
    return;
  }
  std::vector<c10::IValue> arguments(stack.end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size()), stack.end());
  seen->before(op, below, arguments);
  below.call(op, stack);
  const std::size_t results = op.schema().returns().size();
  seen->after(op, below, std::move(arguments), c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - results));
}

void install_recorder() {
  static const bool once = [] {
    install_interceptor(recorder, &record);
    install_raw_composites();
    return true;
  }();
  static_cast<void>(once);
}

// As zero_grad does with a gradient, which has no history.
bool lets_go(const c10::OperatorHandle& op, const at::Tensor& tensor) {
  const auto& name = op.operator_name().name;
  return name == "aten::detach" || (name == "aten::detach_" && tensor.is_leaf());
}

const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

std::string full_name(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name();
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

}  // namespace

recording* active_recording() {
  const auto* info = dynamic_cast<recording_info*>(c10::ThreadLocalDebugInfo::get(recording_info_kind));
  return info == nullptr ? nullptr : info->seen;
}

bool inside_capture() {
  const recording* seen = active_recording();
  return seen != nullptr && seen->is_capture();
}

std::string abandoned_text(const at::Tensor& tensor) {
  return "it uses a tensor of shape " + text(tensor.sizes()) +
         " that it replaces, or makes of host memory, on each call: pass it as an argument";
}

const at::Tensor& gradient_of(const at::Tensor& parameter) {
  if (recording* seen = active_recording(); seen != nullptr && !parameter.grad().defined()) {
    seen->note_gradient_of(parameter);
  }
  return parameter.grad();
}

// For each node that autograd runs.
static std::unique_ptr<at::ObserverContext> note_backward(const at::RecordFunction& /*node*/) {
  if (recording* seen = active_recording()) {
    seen->note_backward();
  }
  return nullptr;
}

recording_scope::recording_scope(recording& seen)
    : info_(recording_info_kind, (install_recorder(), std::make_shared<recording_info>(seen))),
      backwards_(at::addThreadLocalCallback(at::RecordFunctionCallback(&note_backward).scopes({at::RecordScope::BACKWARD_FUNCTION}))),
      operators_(recorder) {}

recording_scope::~recording_scope() { at::removeCallback(backwards_); }

static uint64_t next_number() {
  static std::atomic<uint64_t> number{0};
  return ++number;
}

recording::recording(enum purpose purpose, bool host_tensors_allowed)
    : purpose_(purpose), number_(next_number()), host_tensors_allowed_(host_tensors_allowed) {}

unrecorded_scope::unrecorded_scope() : operators_(recorder) {}

void recording::add_input(const at::Tensor& tensor, std::string name, bool writable) {
  const std::lock_guard lock(mutex_);
  inputs_.emplace(storage_of(tensor), input{std::move(name), writable});
  input_handles_.insert(tensor.unsafeGetTensorImpl());
}

void recording::add_held(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  held_.insert(storage_of(tensor));
}

void recording::add_stand_in(const at::Tensor& stand_in, const at::Tensor& original) {
  const std::lock_guard lock(mutex_);
  originals_.emplace(stand_in.unsafeGetTensorImpl(), original);
}

std::string recording::last_operator() const {
  const std::lock_guard lock(mutex_);
  return last_operator_;
}

operator_trace recording::trace() const {
  const std::lock_guard lock(mutex_);
  std::unordered_set<const c10::StorageImpl*> held;
  for (const auto& outside : sorted().held) {
    held.insert(storage_of(outside.tensor));
  }
  return trace_.with_places_in(held);
}

std::string recording::frozen_update() const {
  const std::lock_guard lock(mutex_);
  return frozen_update_;
}

bool recording::reads_on_host() const {
  const std::lock_guard lock(mutex_);
  return reads_on_host_;
}

void recording::note_host_read() {
  const std::lock_guard lock(mutex_);
  reads_on_host_ = true;
}

// One that is there is seen by the operators that use it.
void recording::note_gradient_of(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  const auto* storage = storage_of(tensor);
  if (inputs_.count(storage) == 0 && inside_.count(storage) == 0) {
    outside_index(tensor);
  }
}

// In a capture other threads cannot draw on CUDA; on a CPU they can, but then a state cannot be told from another thread's.
void recording::watch_random_numbers(c10::Device device) {
  if (!random_) {
    random_.emplace(device, is_capture() ? random_watch::others::wait : random_watch::others::draw);
  }
}

bool recording::sets_random_state() const {
  const std::lock_guard lock(mutex_);
  return sets_random_state_ || (random_ && random_->is_set_at_the_end());
}

void recording::put_back_random_numbers() const {
  if (random_) {
    random_->put_back();
  }
}

bool recording::writes(const at::Tensor& input) const {
  const std::lock_guard lock(mutex_);
  return inputs_.at(storage_of(input)).written;
}

bool recording::knows(const at::Tensor& tensor) const {
  const std::lock_guard lock(mutex_);
  const auto* storage = storage_of(tensor);
  return inside_.count(storage) != 0 || inputs_.count(storage) != 0 || outside_by_storage_.count(storage) != 0;
}

std::unordered_set<const c10::StorageImpl*> recording::used_storages() const {
  const std::lock_guard lock(mutex_);
  std::unordered_set<const c10::StorageImpl*> used;
  for (const auto& [storage, index] : outside_by_storage_) {
    used.insert(storage);
  }
  return used;
}

bool recording::goes_on_from(const at::Tensor& tensor) const {
  const std::lock_guard lock(mutex_);
  return operands_.count(tensor.unsafeGetTensorImpl()) != 0;
}

bool recording::made(const at::Tensor& tensor) const {
  const std::lock_guard lock(mutex_);
  return inside_.count(storage_of(tensor)) != 0;
}

void recording::before(const c10::OperatorHandle& op, const dispatch_path& /*below*/, c10::ArrayRef<c10::IValue> arguments) {
  const std::lock_guard lock(mutex_);
  last_operator_ = full_name(op);
  reads_on_host_ |= last_operator_ == "aten::_local_scalar_dense";
  if (random_ && !random_->before(op, arguments)) {
    sets_random_state_ = true;
    if (is_capture()) {
      throw random_state_error();
    }
  }
  if (const auto generator = generator_given(op, arguments); generator.defined()) {
    before_draw(generator);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const access access = access_of(op, i, arguments);
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      operands_.insert(tensor.unsafeGetTensorImpl());
      note(tensor, access, op);
    });
  }
  trace_.add(op, arguments, [this](const at::Tensor& tensor) { return tensor.dim() == 0 && is_outside(tensor); });
  if (frozen_update_.empty()) {
    frozen_update_ = graphed::frozen_update(op, arguments, [this](const at::Tensor& tensor) { return is_parameter(tensor); });
  }
  if (is_capture() && op.hasTag(at::Tag::cudagraph_unsafe)) {
    throw capture_error("operator " + last_operator_ + " is tagged cudagraph_unsafe by those who registered it");
  }
  const bool is_changed = op.hasTag(at::Tag::inplace_view) && arguments[0].isTensor() && !lets_go(op, arguments[0].toTensor());
  if (is_capture() && is_changed && is_callers(arguments[0].toTensor())) {
    throw capture_error("operator " + last_operator_ + " changes the shape of a tensor from outside, or of an argument");
  }
}

bool recording::is_outside(const at::Tensor& tensor) const {
  return tensor.has_storage() && outside_by_storage_.count(storage_of(tensor)) != 0;
}

// From outside, that or another handle of its memory, as data() makes one.
bool recording::is_parameter(const at::Tensor& tensor) const {
  const auto found = outside_by_storage_.find(storage_of(tensor));
  return found != outside_by_storage_.end() && outside_[found->second].tensor.requires_grad();
}

bool recording::is_callers(const at::Tensor& tensor) const {
  const auto* impl = tensor.unsafeGetTensorImpl();
  return input_handles_.count(impl) != 0 || originals_.count(impl) != 0 || (outside_by_tensor_.count(impl) != 0 && views_.count(impl) == 0);
}

// Batch normalisation updates its running statistics without saying so in its schema, and without counting a version.
recording::access recording::access_of(const c10::OperatorHandle& op, std::size_t argument, c10::ArrayRef<c10::IValue> arguments) {
  const auto& schema = op.schema();
  const auto& declared = schema.arguments()[argument];
  if (declared.alias_info() != nullptr) {
    return declared.alias_info()->isWrite() ? access::write : access::read;
  }
  if (declared.name() != "running_mean" && declared.name() != "running_var") {
    return access::read;
  }
  const auto training = schema.argumentIndexWithName("training");
  return training && !arguments[static_cast<std::size_t>(*training)].toBool() ? access::read : access::hidden_write;
}

void recording::after(const c10::OperatorHandle& op, const dispatch_path& /*below*/, std::vector<c10::IValue> arguments,
                      c10::ArrayRef<c10::IValue> results) {
  const std::lock_guard lock(mutex_);
  if (random_) {
    random_->after(op, arguments);
  }
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      operands_.erase(tensor.unsafeGetTensorImpl());
      const auto* storage = tensor.defined() ? storage_of(tensor) : nullptr;
      if (storage == nullptr || inputs_.count(storage) != 0) {
        return;
      }
      if (outside_by_storage_.count(storage) == 0) {
        inside_.insert(storage);
      } else if (outside_by_tensor_.count(tensor.unsafeGetTensorImpl()) == 0 && originals_.count(tensor.unsafeGetTensorImpl()) == 0) {
        views_.insert(tensor.unsafeGetTensorImpl());
      }
    });
  }
}

void recording::note(const at::Tensor& tensor, access access, const c10::OperatorHandle& op) {
  if (!tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    return;
  }
  const auto* storage = storage_of(tensor);
  if (const auto found = inputs_.find(storage); found != inputs_.end()) {
    if (access != access::read && !found->second.writable) {
      throw capture_error("operator " + full_name(op) + " writes to the argument '" + found->second.name +
                          "', which the annotation does not mark 'inplace'");
    }
    if (access != access::read && !found->second.written) {
      before_write(tensor);
      found->second.written = true;
    }
    return;
  }
  if (storage != nullptr && inside_.count(storage) != 0) {
    return;
  }
  // One without dimensions that nobody holds is a number of the callable's own, as index_put_ makes one.
  if (!host_tensors_allowed_ && tensor.is_cpu() && (tensor.dim() != 0 || held_.count(storage) != 0)) {
    throw capture_error("operator " + full_name(op) +
                        " reads a tensor in host memory that was made outside the callable: a graph would freeze its value");
  }
  outside_tensor& entry = outside_[outside_index(tensor)];
  entry.used |= !lets_go(op, tensor);
  if (access == access::read || lets_go(op, tensor)) {
    return;
  }
  if (!entry.changed) {
    before_write(entry.tensor);
  }
  entry.changed = true;
  entry.written |= access == access::write;
}

std::size_t recording::outside_index(const at::Tensor& used) {
  const auto original = originals_.find(used.unsafeGetTensorImpl());
  const at::Tensor& tensor = original == originals_.end() ? used : original->second;
  const auto* storage = storage_of(tensor);
  if (views_.count(tensor.unsafeGetTensorImpl()) != 0) {  // unless the view died and another tensor has its address
    if (const auto found = outside_by_storage_.find(storage); found != outside_by_storage_.end()) {
      return found->second;
    }
  }
  const auto [found, is_new] = outside_by_tensor_.emplace(tensor.unsafeGetTensorImpl(), outside_.size());
  if (is_new) {
    before_use(tensor);
    outside_.push_back({tensor});
  }
  outside_by_storage_.emplace(storage, found->second);
  return found->second;
}

}  // namespace graphed
