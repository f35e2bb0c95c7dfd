// SPDX-License-Identifier: Apache-2.0
#include "watch/compiled_work.h"

#include "torch/compiled_models.h"
#include "torch/host_memory.h"
#include "torch/tensors_of.h"

#include <algorithm>

namespace graphed::impl {
namespace {

bool has_content(const at::Tensor& tensor) { return tensor.defined() && tensor.has_storage() && tensor.is_cpu(); }

}  // namespace

std::shared_ptr<compiled_work> compiled_work::watch(recording& seen, c10::Device device, at::TensorList arguments) {
  if (!device.is_cpu() || !has_compiled_models()) {
    return nullptr;
  }
  auto made = std::make_shared<compiled_work>(seen.outside());
  for (const at::Tensor& each : arguments) {
    made->note(each);
  }
  seen.add(made);
  return made;
}

void compiled_work::note(const at::Tensor& tensor) {
  if (has_content(tensor)) {
    const c10::StorageImpl* const memory = storage_of(tensor);
    known_.insert_or_assign(memory, content{tensor.storage().getWeakStorageImpl(), hash_of(*memory)});
  }
}

bool compiled_work::is_changed(const c10::StorageImpl* memory) const {
  const auto found = known_.find(memory);
  return found != known_.end() && !found->second.memory.expired() && hash_of(*memory) != found->second.hash;
}

void compiled_work::before(const operator_call& call) {
  for (const auto& argument : call.arguments) {
    for_each_storage(argument, [this](const c10::StorageImpl* memory) { is_found_ |= is_changed(memory); });
  }
}

void compiled_work::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (access_to_argument(call, i) != access::read) {
      for_each_tensor(call.arguments[i], [this](const at::Tensor& tensor) { note(tensor); });
    }
  }
  if (!call.has(trait::allocates)) {  // else the callable may write it, once
    for (const auto& result : results) {
      for_each_tensor(result, [this](const at::Tensor& tensor) { note(tensor); });
    }
  }
  if (is_host_part(call.op.operator_name())) {  // which may write all of it
    for (auto& [memory, content] : known_) {
      content.hash = content.memory.expired() ? content.hash : hash_of(*memory);
    }
  }
}

std::string compiled_work::objection(const tensor_list& results) const {
  bool is_found = is_found_ || std::any_of(known_.begin(), known_.end(), [this](const auto& each) { return is_changed(each.first); });
  for (const outside_tensor& each : memory_.all()) {
    is_found |= !each.held && each.used;
  }
  for (const at::Tensor& each : results) {
    is_found |= has_content(each) && each.use_count() == 1 && memory_.origin_of(each) == origin::unknown;
  }
  return is_found ? "it computes outside of LibTorch's operators, as a compiled model does on a CPU: a tape cannot record that" : "";
}

}  // namespace graphed::impl
