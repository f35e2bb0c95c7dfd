// SPDX-License-Identifier: Apache-2.0
#include "slot/host_transfer.h"

#include "backend/staging.h"
#include "report/log.h"
#include "torch/raw_tensors.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <graphed/impl/host_results.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphed::impl {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + host_ring::alignment - 1) / host_ring::alignment * host_ring::alignment; }

bool has_host_arguments(const SampleSpec& sample) {
  return std::any_of(sample.tensors.begin(), sample.tensors.end(), [](const TensorSpec& each) { return (each.flags & flags::host) != 0; });
}

// A tensor like a static input, without values.
at::Tensor tensor_at(char* place, const at::Tensor& like, std::shared_ptr<host_ring> ring) {
  const c10::InferenceMode normal_tensor(false);
  return at::for_blob(place, like.sizes())
      .strides(like.strides())
      .deleter([ring = std::move(ring)](void* /*place*/) {})
      .options(at::TensorOptions(like.scalar_type()).device(at::kCPU))
      .target_device(at::kCPU)
      .make_tensor();
}

}  // namespace

bool delivered_results::are_there() {
  const std::lock_guard lock(mutex_);
  return !ring_ || ring_->is_written(entry_);
}

void delivered_results::settle() {
  const std::lock_guard lock(mutex_);
  if (!ring_) {
    return;
  }
  ring_->wait_until_written(entry_);
  for (std::size_t i = 0; i < layouts_->size(); ++i) {
    const delivered_result& each = (*layouts_)[i];
    if (!each.is_defined) {
      tensors_.emplace_back();
      continue;
    }
    at::Tensor& result = tensors_.emplace_back(allocate_tensor(each.sizes, each.strides, each.dtype, c10::Device(at::kCPU)));
    if (each.bytes != 0) {
      std::memcpy(result.mutable_data_ptr(), ring_->entry(entry_) + each.at, each.bytes);
    }
    if (details_->is_padded()) {
      cut_down(result, details_->results[i]);
    }
  }
  ring_.reset();
}

bool HostResults::are_there() const { return !coming_ || coming_->are_there(); }

tensor_list HostResults::take() {
  if (coming_) {
    coming_->settle();
    return coming_->tensors();
  }
  return std::move(there_);
}

host_transfer::host_transfer(const capture_site& site)
    : site_(site),
      takes_(!site.backend.capture_executes() && has_host_arguments(site.sample)),
      delivers_(!site.backend.capture_executes() && site.spec.outputs == OutputPolicy::Host) {}

std::vector<at::Tensor> host_transfer::add_to(std::vector<at::Tensor> staged) {
  if (delivers_) {
    first_place_ = staged.size();
    address_ = make_static({}, {}, at::kLong, site_.device);
    finished_ = make_static({}, {}, at::kLong, site_.device);
    staged.insert(staged.end(), {address_, finished_});
  }
  return staged;
}

void host_transfer::make_dense(tensor_list& results, std::size_t count) const {
  for (std::size_t i = 0; delivers_ && i < count; ++i) {
    at::Tensor& result = results[i];
    const bool is_strided = result.defined() && result.layout() == at::kStrided;  // else no capture is made
    if (is_strided && (!result.is_non_overlapping_and_dense() || !has_values_in_memory(result))) {
      result = result.clone();
    }
  }
}

delivery host_transfer::plan(const tensor_list& results, std::size_t count) {
  auto layouts = std::make_shared<std::vector<delivered_result>>();
  delivery planned{address_, finished_, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const at::Tensor& result = results[i];
    delivered_result& made = layouts->emplace_back();
    if (!result.defined()) {
      continue;
    }
    made = {result.sizes().vec(), result.strides().vec(), result.scalar_type(), bytes_, result.nbytes(), true};
    bytes_ += aligned(made.bytes);
    planned.parts.push_back({result, made.at});
  }
  layouts_ = std::move(layouts);
  return planned;
}

// After the results, whose places the graph knows.
void host_transfer::make_ring(const std::vector<at::Tensor>& static_inputs) {
  std::vector<std::size_t> places(static_inputs.size());
  for (std::size_t i = 0; i < static_inputs.size(); ++i) {
    if (static_inputs[i].defined() && site_.has(i, flags::host)) {
      places[i] = bytes_;
      bytes_ += aligned(static_inputs[i].nbytes());
    }
  }
  ring_ = site_.backend.make_host_ring(site_.device, bytes_, message_prefix(site_.spec));
  for (std::size_t entry = 0; entry < host_ring::entries; ++entry) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      inputs_[entry].push_back(places[i] == 0 ? at::Tensor() : tensor_at(ring_->entry(entry) + places[i], static_inputs[i], ring_));
    }
  }
}

void host_transfer::begin_call(const std::vector<at::Tensor>& static_inputs) {
  if (!takes_ && !delivers_) {
    return;
  }
  if (!ring_) {
    make_ring(static_inputs);
  }
  entry_ = (entry_ + 1) % host_ring::entries;
  if (const auto earlier = coming_[entry_].lock()) {
    earlier->settle();
  }
  if (!delivers_ || !ring_->is_written(entry_)) {
    ring_->wait(entry_);
  }
  ring_->expect(entry_);
}

void host_transfer::stage(executable& work) const {
  if (delivers_) {
    work.fill_in(first_place_, address_, static_cast<int64_t>(reinterpret_cast<std::intptr_t>(ring_->entry(entry_))));
    work.fill_in(first_place_ + 1, finished_, int64_t{0});
  }
}

void host_transfer::end_call() noexcept {
  if (ring_) {
    ring_->note_launch(entry_);
  }
}

std::shared_ptr<delivered_results> host_transfer::results(const std::shared_ptr<const call_details>& details) {
  if (!delivers_) {
    return nullptr;
  }
  auto made = std::make_shared<delivered_results>(ring_, entry_, layouts_, details);
  coming_[entry_] = made;
  return made;
}

}  // namespace graphed::impl
