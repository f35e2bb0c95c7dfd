// SPDX-License-Identifier: Apache-2.0
#include "watch/graph_watch.h"

#include "report/text.h"
#include "torch/tensors_of.h"
#include "watch/outside_watch.h"
#include "watch/recording.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <iterator>

namespace graphed::impl {
namespace {

constexpr std::size_t callers_kept = 16;  // LibTorch's templates, as of Sequential, are in the user's files

// With sizes that can be known.
template <class F>
void for_each_with_memory(const c10::IValue& value, F&& f) {
  for_each_tensor(value, [&](const at::Tensor& tensor) {
    if (tensor.defined() && tensor.layout() == at::kStrided && !tensor.is_nested() && storage_of(tensor) != nullptr) {
      f(tensor);
    }
  });
}

void add_sorted(std::vector<std::size_t>& to, std::size_t number) {
  const auto place = std::lower_bound(to.begin(), to.end(), number);
  if (place == to.end() || *place != number) {
    to.insert(place, number);
  }
}

}  // namespace

// By its stream, which is current around the kernel.
std::size_t graph_watch::current_branch() {
  if (device_.is_cpu()) {
    return 0;
  }
  const c10::Stream current = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  const auto found = std::find(branches_.begin(), branches_.end(), current);
  const auto index = static_cast<std::size_t>(found - branches_.begin());
  if (found == branches_.end()) {
    branches_.push_back(current);
  }
  return index;
}

void graph_watch::before(const operator_call& call) {
  branch_ = current_branch();
  if (kernels_) {
    kernels_->before(full_name(call.op));
  }
}

// The weak reference keeps the address from being another memory's.
void graph_watch::note_made(const at::Tensor& tensor) { made_.try_emplace(storage_of(tensor), tensor.storage().getWeakStorageImpl()); }

std::vector<std::pair<const void*, uint64_t>> graph_watch::kept(
    const std::unordered_map<const c10::StorageImpl*, std::size_t>& held) const {
  std::vector<std::pair<const void*, uint64_t>> found;
  for (const auto& [address, made] : made_) {
    const auto replays = held.find(address);
    const std::size_t known = replays == held.end() ? 0 : replays->second;
    if (made.use_count() > known) {
      found.emplace_back(address, address->nbytes());
    }
  }
  return found;
}

void graph_watch::note_read(graph_node& node, const c10::StorageImpl* memory) const {
  if (const auto writer = writers_.find(memory); writer != writers_.end()) {
    add_sorted(node.after, writer->second);
  } else if (unwritten_.count(memory) == 0 && std::find(node.reads.begin(), node.reads.end(), memory) == node.reads.end()) {
    node.reads.push_back(memory);
  }
}

void graph_watch::note_written(graph_node& node, const at::Tensor& tensor) {
  if (node.result.empty()) {
    node.result = annotated(tensor.scalar_type()) + impl::text(tensor.sizes());
  }
  node.bytes_written += tensor.nbytes();
  writers_[storage_of(tensor)] = nodes_.size();
  unwritten_.erase(storage_of(tensor));
}

void graph_watch::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  auto kernels = kernels_ ? kernels_->after() : std::vector<std::string>();
  if (call.has(trait::allocates)) {
    for_each_with_memory(results[0], [&](const at::Tensor& tensor) {
      note_made(tensor);
      writers_.erase(storage_of(tensor));
      unwritten_.insert(storage_of(tensor));
    });
    return;
  }
  graph_node node;
  std::unordered_set<const c10::StorageImpl*> given;
  std::vector<at::Tensor> written;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool writes = access_to_argument(call, i) != access::read;
    for_each_with_memory(call.arguments[i], [&](const at::Tensor& tensor) {
      given.insert(storage_of(tensor));
      note_read(node, storage_of(tensor));
      if (writes) {
        written.push_back(tensor);
      }
    });
  }
  for (const auto& result : results) {
    for_each_with_memory(result, [&](const at::Tensor& tensor) {
      if (given.count(storage_of(tensor)) == 0) {
        note_made(tensor);
        written.push_back(tensor);
      }
    });
  }
  if (written.empty()) {
    return;
  }
  node.name = full_name(call.op);
  node.branch = branch_;
  node.called_from = shown_by_.stack();
  node.called_from.keep_users(callers_kept);
  node.kernels = std::move(kernels);
  for (const auto& tensor : written) {
    note_written(node, tensor);
  }
  nodes_.push_back(std::move(node));
}

}  // namespace graphed::impl
