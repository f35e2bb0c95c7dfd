// SPDX-License-Identifier: Apache-2.0
#include "watch/recording.h"

#include "report/text.h"
#include "torch/accumulators.h"
#include "torch/tensors_of.h"

#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {

static uint64_t next_number() {
  static std::atomic<uint64_t> number{0};
  return ++number;
}

recording::recording(enum purpose purpose, bool host_tensors_allowed)
    : purpose_(purpose), number_(next_number()), observers_{&outside_, &trace_, &update_}, outside_(host_tensors_allowed) {
  if (is_capture()) {
    observers_.push_back(&limits_);
    observers_.push_back(&bodies_);
  }
  if (is_capture() && !host_tensors_allowed) {
    observers_.push_back(&constants_.emplace());
  }
}

void recording::add(std::vector<observer*>& to, std::shared_ptr<observer> observer) {
  const std::lock_guard lock(mutex_);
  to.push_back(observer.get());
  outside_.tell(*observer);
  added_.push_back(std::move(observer));
}

template <class Show>
void recording::show(const std::vector<observer*>& observers, Show show) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) {
    return;
  }
  try {
    for (auto* const each : observers) {
      show(*each);
    }
  } catch (const std::exception& refusal) {
    if (refused_.empty()) {
      refused_ = refusal.what();
      note_stack();
    }
    throw;
  }
}

call_stack recording::stack() const {
  const bool is_runner = runner_.first == thread_number();
  return call_stack::of_this_thread(is_runner ? runner_.second : 0);
}

void recording::note_stack() {
  if (is_capture()) {
    failure_ = {last_operator_, stack()};
    const auto node = torch::autograd::get_current_node();
    failed_in_ = node ? node->name() : "";
  }
}

// What was refused first shows more.
void recording::note_failure() {
  const std::lock_guard lock(mutex_);
  if (!has_ended_ && refused_.empty()) {
    note_stack();
  }
}

// What an operator has thrown shows more.
void recording::note_failure_of(const char* name) {
  const std::lock_guard lock(mutex_);
  if (refused_.empty() && (failure_.first.empty() || failure_.first != last_operator_)) {
    last_operator_ = name;
    is_in_operator_ = true;
    note_stack();
  }
}

std::string recording::place() const {
  const std::lock_guard lock(mutex_);
  if (last_operator_.empty()) {
    return {};
  }
  const bool is_known = failure_.first == last_operator_;
  const std::string functions = is_known ? failure_.second.users_functions() : "";
  const std::string node = is_known ? failed_in_ : "";
  return (is_in_operator_ ? " at operator " : " after operator ") + with_remedy(last_operator_) +
         (functions.empty() ? "" : ", in " + functions) + (node.empty() ? "" : ", in the backward " + node);
}

void recording::before(const operator_call& call) {
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) {
      return;
    }
    last_operator_ = untraced::is_alive() ? last_operator_ : full_name(call.op);
    is_in_operator_ = true;
  }
  if (call.has(trait::reads_value)) {
    note_host_read();
  }
  show(observers_, [&](observer& each) { each.before(call); });
}

void recording::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  show(observers_, [&](observer& each) { each.after(call, results); });
  const std::lock_guard lock(mutex_);
  is_in_operator_ = false;
}

void recording::note_made(c10::ArrayRef<c10::IValue> results) {
  const std::lock_guard lock(mutex_);
  for (const auto& result : has_ended_ ? c10::ArrayRef<c10::IValue>() : results) {
    for_each_tensor(result, [this](const at::Tensor& tensor) { outside_.note_made(tensor); });
  }
}

void recording::before_kernel(const operator_call& call) {
  show(recorders_, [&](observer& each) { each.before(call); });
}

void recording::after_kernel(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  show(recorders_, [&](observer& each) { each.after(call, results); });
}

void recording::note_undeclared_write(const operator_call& call, const at::Tensor& argument) {
  const auto note = [&](observer& each) { each.undeclared_write(call, argument); };
  show(observers_, note);
  show(recorders_, note);
}

void recording::check_complete() const {
  const std::lock_guard lock(mutex_);
  if (!refused_.empty()) {
    throw CaptureError(refused_);
  }
  if (random_ && random_->is_set()) {
    throw random_state_error();
  }
  if (!host_parts_.objection().empty()) {
    throw CaptureError(host_parts_.objection());
  }
}

// On the thread that is about to run a node.
void recording::note_backward() {
  const std::lock_guard lock(mutex_);
  goes_back_ = goes_back_ || !has_ended_;
  if (const auto node = torch::autograd::get_current_node(); accumulators_ != nullptr && node) {
    accumulators_->move_next(*node);
  }
}

void recording::end() {
  const std::scoped_lock lock(copying_, mutex_);
  has_ended_ = true;
  ahead_ = nullptr;
  accumulators_ = nullptr;
}

void recording::refuse(const std::string& why) {
  const std::lock_guard lock(mutex_);
  refused_ = refused_.empty() && !has_ended_ ? why : refused_;
}

void recording::enter_body(body_place* body) {
  const std::lock_guard lock(mutex_);
  bodies_run_.insert(body->path);
  body_ = body;
}

// Waits for an observer that looks at the body, on a thread that outlives it.
void recording::leave_body(const body_place& body) {
  const std::lock_guard lock(mutex_);
  body_ = body.outer;
}

void recording::use_also(uint64_t visit) {
  const std::lock_guard lock(mutex_);
  if (body_place* const body = body_) {
    body->also = visit;
  }
}

std::vector<outside_tensor> recording::held_outside() const {
  auto held = tensors()->all();
  held.erase(std::remove_if(held.begin(), held.end(), [](const outside_tensor& each) { return !each.held; }), held.end());
  std::unordered_map<const c10::TensorImpl*, at::Tensor> leaves;
  for (const auto& outside : held) {
    if (goes_back_ && outside.tensor.is_leaf() && outside.tensor.grad().defined()) {
      leaves.emplace(outside.tensor.grad().unsafeGetTensorImpl(), outside.tensor);
    }
  }
  for (auto& outside : held) {
    const auto found = leaves.find(outside.tensor.unsafeGetTensorImpl());
    outside.leaf = found == leaves.end() ? tensors()->leaf_of(outside.tensor) : found->second;
  }
  return held;
}

bool recording::run_as_copy_of_constant(const operator_call& call, torch::jit::Stack& stack) {
  if (!constants_ || !host_constants::is_copied_by(call)) {
    return false;
  }
  const std::lock_guard lock(copying_);
  if (ahead_ != nullptr) {
    constants_->copy(call, stack, *ahead_);
  }
  return ahead_ != nullptr;
}

std::vector<at::Tensor> recording::copied_constants() const {
  const std::lock_guard lock(mutex_);
  return constants_ ? constants_->copies() : std::vector<at::Tensor>();
}

// In a capture on CUDA the numbers of tensors in host memory are there, and are read as they are.
bool recording::takes_read_of(const at::Tensor& tensor) const {
  return host_reads_ && host_reads_of_run::can_read(tensor.scalar_type()) && tensor.numel() == 1 && tensor.layout() == at::kStrided &&
         !(constants_ && tensor.is_cpu());
}

std::optional<c10::Scalar> recording::note_read(const at::Tensor& copy, const c10::Scalar& number) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) {
    return std::nullopt;
  }
  last_operator_ = "aten::_local_scalar_dense";
  try {
    return host_reads_->read(copy, number);
  } catch (const std::exception& refusal) {
    refused_ = refused_.empty() ? refusal.what() : refused_;
    throw;
  }
}

std::string recording::last_operator() const {
  const std::lock_guard lock(mutex_);
  return last_operator_;
}

operator_trace recording::trace() const {
  operator_trace::known_memory known;
  for (const auto& outside : held_outside()) {
    if (const auto* memory = storage_of(outside.tensor); memory != nullptr) {  // a sparse tensor has none
      known.emplace(memory, storage_of(outside.leaf.defined() ? outside.leaf : outside.tensor));
    }
  }
  const std::lock_guard lock(mutex_);
  return trace_.trace().with_places_in(known);
}

std::string recording::frozen_update() const {
  const std::lock_guard lock(mutex_);
  return update_.found();
}

void recording::note_gradient_of_one_body(at::IntArrayRef shape) {
  const std::lock_guard lock(mutex_);
  gradient_of_one_body_ = gradient_of_one_body_.empty() ? text(shape) : gradient_of_one_body_;
}

std::string recording::gradient_of_one_body() const {
  const std::lock_guard lock(mutex_);
  return gradient_of_one_body_;
}

rank_groups recording::groups() const {
  const std::lock_guard lock(mutex_);
  return groups_;
}

void recording::note_group(const std::shared_ptr<rank_group>& group) {
  const std::lock_guard lock(mutex_);
  if (std::find(groups_.begin(), groups_.end(), group) == groups_.end()) {
    groups_.push_back(group);
  }
}

// In a capture on CUDA a generator shows the capture's own state, which no other thread's draw changes. On a CPU such a state cannot be
// known from one that was set.
void recording::watch_random_numbers(c10::Device device) {
  const std::lock_guard lock(mutex_);
  if (!random_) {
    random_.emplace(device, is_capture() || device.is_cpu() ? random_watch::others::wait : random_watch::others::draw);
    observers_.insert(observers_.begin(), &*random_);
  }
}

bool recording::sets_random_state() const {
  const std::lock_guard lock(mutex_);
  return random_ && random_->is_set();
}

void recording::put_back_random_numbers() const {
  const std::lock_guard lock(mutex_);
  if (random_) {
    random_->put_back();
  }
}

}  // namespace graphed::impl
