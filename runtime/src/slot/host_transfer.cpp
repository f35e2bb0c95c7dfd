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

std::size_t words_of(const delivered_result& result) { return (result.bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t); }

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
  tensor_list made = make_tensors();  // while the graph runs
  ring_->wait_until_written(entry_);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i].defined()) {
      continue;
    }
    copy_to(made[i], layout_->results[i]);
    if (details_->is_padded()) {
      cut_down(made[i], details_->results[i]);
    }
  }
  tensors_ = std::move(made);
  ring_.reset();
}

tensor_list delivered_results::make_tensors() const {
  tensor_list made;
  made.reserve(layout_->results.size());
  for (const delivered_result& each : layout_->results) {
    made.push_back(each.is_defined ? allocate_tensor(each.sizes, each.strides, each.dtype, c10::Device(at::kCPU)) : at::Tensor());
  }
  return made;
}

void delivered_results::copy_to(const at::Tensor& copy, const delivered_result& each) const {
  auto* const to = static_cast<char*>(copy.mutable_data_ptr());
  if (layout_->form.words == 0) {
    std::copy_n(ring_->entry(entry_) + each.at, each.bytes, to);
    return;
  }
  for (std::size_t begin = 0; begin < each.bytes; begin += sizeof(uint32_t)) {
    const uint32_t data = ring_->data(entry_, each.at + begin / sizeof(uint32_t));
    std::memcpy(to + begin, &data, std::min(sizeof data, each.bytes - begin));
  }
}

bool HostResults::are_there() const { return !coming_ || coming_->are_there(); }

tensor_list HostResults::take() {
  if (coming_) {
    coming_->settle();
    return coming_->tensors();
  }
  return std::move(there_);
}

host_transfer::host_transfer(capture_site& site)
    : site_(site),
      takes_(!site.backend.capture_executes() && has_host_arguments(site.sample)),
      delivers_(!site.backend.capture_executes() && site.spec.outputs == OutputPolicy::Host) {}

std::vector<at::Tensor> host_transfer::add_to(std::vector<at::Tensor> staged) {
  if (delivers_) {
    first_place_ = staged.size();
    address_ = make_static({}, {}, at::kLong, site_.device);
    finished_ = make_static({}, {}, at::kLong, site_.device);
    number_ = make_static({}, {}, at::kLong, site_.device);
    staged.insert(staged.end(), {address_, finished_, number_});
  }
  return staged;
}

uint64_t host_transfer::bytes_of_arguments(const std::vector<at::Tensor>& static_inputs) const {
  uint64_t bytes = 0;
  for (std::size_t i = 0; takes_ && i < static_inputs.size(); ++i) {
    bytes += static_inputs[i].defined() && site_.has(i, flags::host) ? (static_inputs[i].nbytes() + 15) / 16 * 16 : 0;
  }
  return bytes;
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
  auto layout = std::make_shared<delivered_layout>();
  std::size_t words = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const at::Tensor& result = results[i];
    delivered_result& made = layout->results.emplace_back();
    if (result.defined()) {
      made = {result.sizes().vec(), result.strides().vec(), result.scalar_type(), words, result.nbytes(), true};
      words += words_of(made);
    }
  }
  layout->form.are_there = true;
  layout->form.words = words <= host_ring::most_words && count <= host_ring::most_results_in_words ? words : 0;
  delivery planned{address_, finished_, number_, layout->form, {}};
  for (std::size_t i = 0; i < count; ++i) {
    delivered_result& made = layout->results[i];
    if (layout->form.words == 0) {
      made.at = bytes_;
      bytes_ += aligned(made.bytes);
    }
    if (made.is_defined) {
      planned.parts.push_back({results[i], made.at});
    }
  }
  bytes_ += aligned(layout->form.words * sizeof(uint64_t));
  layout_ = std::move(layout);
  return planned;
}

// Arguments come after the results, whose places the graph knows.
void host_transfer::make_ring(const std::vector<at::Tensor>& static_inputs) {
  if (!takes_ && !delivers_) {
    return;
  }
  std::vector<std::size_t> places(static_inputs.size());
  for (std::size_t i = 0; i < static_inputs.size(); ++i) {
    if (static_inputs[i].defined() && site_.has(i, flags::host)) {
      places[i] = bytes_;
      bytes_ += aligned(static_inputs[i].nbytes());
    }
  }
  const host_results_form form = layout_ ? layout_->form : host_results_form();
  ring_ = site_.backend.make_host_ring(site_.device, bytes_, form, message_prefix(site_.spec));
  site_.hold_pinned(bytes_ * host_ring::entries);
  for (std::size_t entry = 0; entry < host_ring::entries; ++entry) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      inputs_[entry].push_back(places[i] == 0 ? at::Tensor() : tensor_at(ring_->entry(entry) + places[i], static_inputs[i], ring_));
    }
  }
}

void host_transfer::begin_call() {
  if (!ring_) {
    return;
  }
  entry_ = (entry_ + 1) % host_ring::entries;
  if (const auto earlier = coming_[entry_].lock()) {
    earlier->settle();
  }
  if (!delivers_ || !ring_->is_written(entry_)) {
    ring_->wait(entry_);
  }
  calls_ = std::max(calls_ + 1, 1U);
  ring_->expect(entry_, calls_);
}

void host_transfer::stage(executable& work) const {
  if (delivers_) {
    work.fill_in(first_place_, address_, static_cast<int64_t>(reinterpret_cast<std::intptr_t>(ring_->entry(entry_))));
    work.fill_in(first_place_ + 1, finished_, int64_t{0});
    work.fill_in(first_place_ + 2, number_, int64_t{calls_});
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
  auto made = std::make_shared<delivered_results>(ring_, entry_, layout_, details);
  coming_[entry_] = made;
  return made;
}

}  // namespace graphed::impl
