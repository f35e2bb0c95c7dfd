// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/program_trace.h"

#include "backend/cuda/memory_nodes.h"
#include "backend/cuda/stream.h"
#include "torch/tensors_of.h"
#include "watch/memory_use.h"

#include <algorithm>
#include <utility>

namespace graphed::impl {
namespace {

byte_range range_of(const c10::StorageImpl& storage) {
  const auto begin = reinterpret_cast<uintptr_t>(storage.data());
  return {begin, begin + storage.nbytes()};
}

byte_range range_of(const at::Tensor& tensor) {
  const memory_access whole = access_to(tensor, /*writes=*/false);
  return {whole.begin, whole.end};
}

bool does_work(cudaGraphNode_t node) {
  const auto type = type_of(node);
  return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeMemcpy;
}

}  // namespace

void program_trace::begin(c10::cuda::CUDAStream stream) {
  const std::lock_guard lock(mutex_);
  stream_ = stream;
  is_known_ = true;
  made_ = {};
  numbers_.clear();
  branches_.clear();
  memories_.clear();
  by_storage_.clear();
}

void program_trace::set_paused(bool paused) {
  const std::lock_guard lock(mutex_);
  is_paused_ = paused;
}

// Back from where the stream stands to nodes that are known, each after those that it depends on.
std::vector<std::size_t> program_trace::new_nodes(cudaStream_t stream) {
  std::vector<std::size_t> found;
  std::vector<std::pair<cudaGraphNode_t, bool>> open;  // with whether those before it have been visited
  for (const cudaGraphNode_t node : capture_tail(stream)) {
    open.emplace_back(node, false);
  }
  while (!open.empty()) {
    const auto [node, is_visited] = open.back();
    open.pop_back();
    if (numbers_.count(node) != 0) {
      continue;
    }
    if (is_visited) {
      numbers_.emplace(node, made_.nodes.size());
      found.push_back(made_.nodes.size());
      made_.nodes.push_back(node);
      continue;
    }
    open.emplace_back(node, true);
    for (const cudaGraphNode_t before : dependencies_of(node)) {
      open.emplace_back(before, false);
    }
  }
  return found;
}

std::size_t program_trace::branch_of(cudaStream_t stream) {
  const auto found = std::find(branches_.begin(), branches_.end(), stream);
  const auto index = static_cast<std::size_t>(found - branches_.begin());
  if (found == branches_.end()) {
    branches_.push_back(stream);
  }
  return index;
}

void program_trace::add_barrier(std::vector<std::size_t> nodes) {
  if (nodes.empty()) {
    return;
  }
  traced_step step;
  step.nodes = std::move(nodes);
  step.is_barrier = true;
  made_.program.steps.push_back(std::move(step));
  made_.formulas.emplace_back();
}

// A storage over memory that another one still has is that memory.
std::size_t program_trace::memory_of(const at::Tensor& tensor) {
  const auto* storage = tensor.storage().unsafeGetStorageImpl();
  const byte_range range = range_of(*storage);
  if (const auto known = by_storage_.find(storage); known != by_storage_.end()) {
    const byte_range& before = memories_[known->second].range;
    is_known_ = is_known_ && before.begin <= range.begin && range.end <= before.end;
    return known->second;
  }
  std::size_t index = memories_.size();
  for (std::size_t each = 0; each < memories_.size(); ++each) {
    const auto& other = memories_[each];
    const bool is_there = std::any_of(other.storages.begin(), other.storages.end(), [](const auto& one) { return one.use_count() != 0; });
    if (is_there && other.range.overlaps(range)) {
      is_known_ = is_known_ && index == memories_.size() && other.range.begin <= range.begin && range.end <= other.range.end;
      index = each;
    }
  }
  if (index == memories_.size()) {
    memories_.push_back({{}, range});
  }
  memories_[index].storages.push_back(tensor.storage().getWeakStorageImpl());
  memories_[index].is_outside |= outside_.origin_of(tensor) != origin::inside;
  by_storage_.emplace(storage, index);
  return index;
}

traced_tensor program_trace::trace(const at::Tensor& tensor) {
  return {reinterpret_cast<uintptr_t>(tensor.const_data_ptr()), tensor.scalar_type(), tensor.sizes().vec(), tensor.strides().vec(),
          memory_of(tensor)};
}

void program_trace::before(const operator_call& call) {
  const std::lock_guard lock(mutex_);
  running_ = nullptr;
  if (!stream_ || is_paused_) {
    return;
  }
  is_known_ = is_known_ && !call.has(trait::replaces_memory);
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(stream_->device_index());
  if (is_capturing(stream)) {
    add_barrier(new_nodes(stream));
    running_ = stream;
    outside_.allocations()->begin_list();
  }
}

void program_trace::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  const std::lock_guard lock(mutex_);
  if (running_ == nullptr) {
    return;
  }
  const auto allocated = outside_.allocations()->end_list();
  auto nodes = new_nodes(running_);
  const std::size_t branch = branch_of(std::exchange(running_, nullptr));
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      if (has_memory(tensor)) {
        memory_of(tensor);
      }
    });
  }
  if (nodes.empty()) {
    return;
  }
  if (memory_use_of(call) == memory_use::told) {
    add_step(call, results, allocated, std::move(nodes), branch);
  } else {
    add_barrier(std::move(nodes));
  }
}

void program_trace::add_step(const operator_call& call, c10::ArrayRef<c10::IValue> results, const device_allocations::list& allocated,
                             std::vector<std::size_t> nodes, std::size_t branch) {
  traced_step step;
  step.name = call.op.operator_name();
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const c10::IValue& argument = call.arguments[i];
    const bool writes = access_to_argument(call, i) != access::read;
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (has_memory(tensor)) {
        step.reads.push_back(range_of(tensor));
        if (writes) {
          step.writes.push_back(range_of(tensor));
        }
      }
    });
    const bool is_traced = argument.isTensor() && has_memory(argument.toTensor());
    step.numbers.push_back(argument.isTensor() ? c10::IValue() : argument);
    step.arguments.push_back(is_traced ? std::optional(trace(argument.toTensor())) : std::nullopt);
  }
  std::size_t count = 0;
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      ++count;
      if (has_memory(tensor)) {
        step.writes.push_back(range_of(tensor));
        step.results.push_back(trace(tensor));
      }
    });
  }
  for (const auto& [begin, size] : allocated) {
    const auto address = reinterpret_cast<uintptr_t>(begin);
    step.writes.push_back({address, address + static_cast<uintptr_t>(size)});
  }
  step.nodes = std::move(nodes);
  step.branch = branch;
  const bool is_one = step.nodes.size() == 1 && count == 1 && step.results.size() == 1 && does_work(made_.nodes[step.nodes.front()]);
  made_.formulas.push_back(is_one ? fusion::find_formula(step.name, call.arguments, step.results.front().numel()) : std::nullopt);
  made_.program.steps.push_back(std::move(step));
}

std::optional<traced_capture> program_trace::end() {
  const std::lock_guard lock(mutex_);
  if (!stream_) {
    return std::nullopt;
  }
  add_barrier(new_nodes(stream_->stream()));
  for (const auto& each : memories_) {
    const bool is_there = std::any_of(each.storages.begin(), each.storages.end(), [](const auto& one) { return one.use_count() != 0; });
    made_.program.memories.push_back({each.range, each.is_outside || is_there});
  }
  stream_.reset();
  memories_.clear();
  by_storage_.clear();
  return is_known_ ? std::optional(std::move(made_)) : std::nullopt;
}

}  // namespace graphed::impl
