// SPDX-License-Identifier: Apache-2.0
#include "backend/tape/composite_watch.h"

#include "torch/host_memory.h"
#include "torch/interception.h"
#include "torch/tensors_of.h"
#include "watch/outside_watch.h"

#include <graphed/error.h>

#include <ATen/Context.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace graphed::impl {
namespace {

/// Fills the memory that such an operator allocates, so that every write shows.
constexpr int no_value = 0xa5;

// Of this thread, while it captures.
thread_local std::vector<std::string> of_libraries;  ///< that run
thread_local std::string refused;                    ///< why a replay could not do the same as one that has run, or empty

bool names_tensors(const c10::Argument& argument) { return argument.type()->str().find("Tensor") != std::string::npos; }

bool makes_number_of_tensors(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), &names_tensors) &&
         !std::all_of(schema.returns().begin(), schema.returns().end(), &names_tensors);
}

std::string without_kernel(const std::string& op, const char* does) {
  return "operator " + op + " of another library has no kernel for the CPU, and " + does +
         ", which a replay would not do again: register a kernel by TORCH_LIBRARY_IMPL(..., CPU, ...)";
}

struct operator_under_way : at::ObserverContext {};

std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  const bool is_recorded = are_operators_intercepted(interception_place::below_autograd);
  const auto op = name && is_recorded ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
  if (op && has_trait(*op, trait::reads_by_pointer)) {
    refused = "operator " + full_name(*op) + " reads a tensor's values on the host";
  }
  if (!op || !is_of_another_library(*name) || !is_made_of_parts(*op)) {
    return nullptr;
  }
  of_libraries.push_back(full_name(*op));
  if (makes_number_of_tensors(op->schema())) {
    refused = without_kernel(of_libraries.back(), "returns a number");
  }
  return std::make_unique<operator_under_way>();
}

void end_operator(const at::RecordFunction& /*function*/, at::ObserverContext* context) {
  if (context != nullptr) {
    of_libraries.pop_back();
  }
}

}  // namespace

composite_scope::composite_scope()
    : callback_(
          at::addThreadLocalCallback(at::RecordFunctionCallback(&begin_operator, &end_operator).scopes({at::RecordScope::FUNCTION}))) {
  of_libraries.clear();
  refused.clear();
}

composite_scope::~composite_scope() { at::removeCallback(callback_); }

void composite_watch::check(const c10::StorageImpl* memory) const {
  const auto found = known_.find(memory);
  if (found != known_.end() && !found->second.keeps_address.expired() && hash_of(*memory) != found->second.hash) {
    throw CaptureError(without_kernel(found->second.by, "computes on the host"));
  }
}

void composite_watch::check() const {
  if (!refused.empty()) {
    throw CaptureError(refused);
  }
  for (const auto& [memory, content] : known_) {
    check(memory);
  }
}

void composite_watch::before(const operator_call& call) {
  if (!refused.empty()) {
    throw CaptureError(refused);
  }
  for (const auto& argument : known_.empty() ? c10::ArrayRef<c10::IValue>() : call.arguments) {
    for_each_storage(argument, [this](const c10::StorageImpl* memory) { check(memory); });
  }
}

void composite_watch::note(const at::Tensor& tensor, const std::string& by) {
  if (!has_host_bytes(tensor)) {
    return;
  }
  const auto* const memory = storage_of(tensor);
  if (const auto known = known_.find(memory); known != known_.end() && !known->second.keeps_address.expired()) {
    known->second.hash = hash_of(*memory);
  } else if (!by.empty()) {
    known_.insert_or_assign(memory, content{tensor.storage().getWeakStorageImpl(), hash_of(*memory), by});
  }
}

void composite_watch::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  const std::string by = of_libraries.empty() ? "" : of_libraries.front();
  if (by.empty() && known_.empty()) {
    return;
  }
  const bool is_filled = at::globalContext().deterministicAlgorithms() && at::globalContext().deterministicFillUninitializedMemory();
  if (call.has(trait::allocates) && !by.empty() && !is_filled && has_host_bytes(results[0].toTensor())) {
    const c10::Storage& made = results[0].toTensor().storage();
    std::memset(made.mutable_data(), no_value, made.nbytes());
  }
  const auto note_each = [&](const c10::IValue& value) { for_each_tensor(value, [&](const at::Tensor& tensor) { note(tensor, by); }); };
  std::for_each(call.arguments.begin(), call.arguments.end(), note_each);
  std::for_each(results.begin(), results.end(), note_each);
  if (is_host_part(call.op.operator_name())) {  // which may write all of it
    look_again();
  }
}

void composite_watch::look_again() {
  for (auto& [memory, content] : known_) {
    content.hash = content.keeps_address.expired() ? content.hash : hash_of(*memory);
  }
}

}  // namespace graphed::impl
