// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/branches.h"

#include "backend/backend.h"
#include "backend/cuda/stream.h"
#include "backend/stream_hook.h"
#include "torch/tensors_of.h"
#include "watch/memory_use.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <unordered_set>
#include <utility>

namespace graphed::impl {
namespace {

// Operators whose work may run beside others'. The others stay on the first branch.
bool may_branch(const operator_call& call) {
  return call.op.hasTag(at::Tag::pointwise) || call.op.hasTag(at::Tag::reduction) || call.has(trait::stays_on_stream);
}

}  // namespace

operator_branches::operator_branches(const outside_watch& memory, std::size_t branches)
    : memory_(memory), order_(branches), branches_(branches + 1) {}

void operator_branches::begin(order_domain& domain, c10::cuda::CUDAStream stream) {
  const std::lock_guard lock(mutex_);
  const auto tail = capture_tail(stream.stream());
  captured_.emplace(captured_stream{domain, stream, has_workspace(stream.stream()), tail, tail});
  branches_[0].emplace(branch{stream, nullptr, /*is_joined=*/false});
  order_ = operator_order(branches_.size() - 1);
  ends_.clear();
}

// Whether operators alone used the captured stream, of the capturing thread.
bool operator_branches::is_in_order() {
  const auto& stream = captured_->stream;
  return !running_ && c10::cuda::getCurrentCUDAStream(stream.device_index()) == stream &&
         capture_tail(stream.stream()) == captured_->expected;
}

c10::cuda::CUDAStream operator_branches::stream_of(std::size_t branch) {
  return branch + 1 == branches_.size() ? captured_->domain.collective_stream()
                                        : captured_->domain.branch_stream(captured_->domain.lane_of(captured_->stream), branch - 1);
}

operator_branches::branch& operator_branches::make(std::size_t index) {
  const auto stream = stream_of(index);
  if (captured_->multiplies) {
    share_workspaces_on(stream);
  }
  return branches_[index].emplace(branch{stream, std::make_unique<workspace_watch>(stream.stream(), workspace_users::stream)});
}

operator_branches::branch& operator_branches::open(std::size_t index) {
  branch& found = branches_[index] ? *branches_[index] : make(index);
  if (std::exchange(found.is_joined, false)) {
    order_streams(captured_->stream, found.stream);
    update_tail(found.stream.stream(), captured_->begin, cudaStreamSetCaptureDependencies);
  }
  return found;
}

// Memory of one branch that another uses is not reused again before the end of the capture.
void operator_branches::keep_for(const c10::cuda::CUDAStream& stream, c10::ArrayRef<c10::IValue> arguments) {
  for (const auto& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (has_memory(tensor) && memory_.origin_of(tensor) == origin::inside) {
        c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream);
      }
    });
  }
}

void operator_branches::place(const operator_call& call) {
  const memory_use use = memory_use_of(call);
  if (use == memory_use::nothing) {
    return;
  }
  std::vector<memory_access> accesses;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool writes = access_to_argument(call, i) != access::read;
    for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      if (has_memory(tensor)) {
        accesses.push_back(access_to(tensor, writes));
      }
      if (writes && tensor.defined() && has_addresses(tensor)) {
        written_.push_back({tensor, tensor.const_data_ptr(), tensor.nbytes()});
      }
    });
  }
  const bool is_movable = call.has(trait::multiplies) ? captured_->multiplies : may_branch(call);
  const auto placement = use == memory_use::unknown               ? order_.add_barrier()
                         : is_collective(call.op.operator_name()) ? order_.add_apart(accesses)
                                                                  : order_.add(accesses, is_movable);
  branch& chosen = open(placement.branch);
  std::vector<cudaGraphNode_t> awaited;
  for (const std::size_t other : placement.after) {
    awaited.insert(awaited.end(), ends_[other].begin(), ends_[other].end());
  }
  if (!awaited.empty()) {
    update_tail(chosen.stream.stream(), std::move(awaited), cudaStreamAddCaptureDependencies);
  }
  keep_for(chosen.stream, call.arguments);
  c10::cuda::setCurrentCUDAStream(chosen.stream);
  tell_use(StreamUse::Branch, chosen.stream.unwrap());
  running_ = placement.branch;
}

void operator_branches::before(const operator_call& call) {
  const std::lock_guard lock(mutex_);
  if (!captured_ || !is_ordered_) {
    return;
  }
  is_ordered_ = false;  // unless what follows ends well
  if (is_in_order() && !call.has(trait::replaces_memory)) {
    place(call);
    is_ordered_ = true;
  }
}

// Whose memory is new: not an argument's, whatever the schema says.
void operator_branches::note_made(c10::ArrayRef<c10::IValue> arguments, c10::ArrayRef<c10::IValue> results) {
  std::unordered_set<const c10::StorageImpl*> known;
  for (const auto& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (has_memory(tensor)) {
        known.insert(tensor.storage().unsafeGetStorageImpl());
      }
    });
  }
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      if (!has_memory(tensor) || known.count(tensor.storage().unsafeGetStorageImpl()) != 0) {
        return;
      }
      const memory_access access = access_to(tensor, /*writes=*/true);
      is_ordered_ &= running_ ? order_.add_result(access.begin, access.end) : order_.add_memory(access.begin, access.end, 0);
    });
  }
}

void operator_branches::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  const std::lock_guard lock(mutex_);
  if (!captured_) {
    return;
  }
  note_made(call.arguments, results);
  for (const auto& each : written_) {  // an operator with a given result may have made it larger
    is_ordered_ &= each.tensor.const_data_ptr() == each.data && each.tensor.nbytes() == each.bytes;
  }
  written_.clear();
  if (!running_) {
    return;
  }
  c10::cuda::setCurrentCUDAStream(captured_->stream);
  ends_.push_back(capture_tail(branches_[*running_]->stream.stream()));
  if (*running_ == 0) {
    captured_->expected = ends_.back();
  }
  running_.reset();
}

void operator_branches::join() {
  const std::lock_guard lock(mutex_);
  if (!is_ordered_ || !is_in_order()) {
    throw unordered_work();
  }
  for (std::size_t index = 1; index < branches_.size(); ++index) {
    if (branches_[index] && !std::exchange(branches_[index]->is_joined, true)) {
      order_streams(branches_[index]->stream, captured_->stream);
    }
  }
  captured_.reset();
}

shared_workspaces operator_branches::workspaces() {
  shared_workspaces used;
  for (std::size_t index = 1; index < branches_.size(); ++index) {
    if (branches_[index]) {
      used.add(branches_[index]->workspaces->share());
    }
  }
  return used;
}

}  // namespace graphed::impl
