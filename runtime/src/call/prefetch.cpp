// SPDX-License-Identifier: Apache-2.0
#include <graphed/prefetch.h>

#include "backend/backend.h"

#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>
#include <vector>

namespace graphed::impl {

class Upload::Stream {
 public:
  explicit Stream(c10::Device device) : device(find_backend(device).device) {
    if (!this->device.is_cpu()) {
      const c10::impl::VirtualGuardImpl streams(this->device.type());
      copies.emplace(streams.getStreamFromGlobalPool(this->device));
    }
  }

  const c10::Device device;
  std::optional<c10::Stream> copies;  ///< none on a CPU
};

struct Upload::state {
  explicit state(std::shared_ptr<const Stream> stream) : stream(std::move(stream)) {}

  std::shared_ptr<const Stream> stream;
  std::optional<c10::Event> end;
  std::vector<at::Tensor> copies;
};

std::shared_ptr<const Upload::Stream> Upload::make_stream(c10::Device device) { return std::make_shared<const Stream>(device); }

Upload::Upload(std::shared_ptr<const Stream> stream) : state_(std::make_unique<state>(std::move(stream))) {}
Upload::Upload(Upload&&) noexcept = default;
Upload& Upload::operator=(Upload&&) noexcept = default;
Upload::~Upload() = default;

// LibTorch's allocators keep the pinned memory, and later the copy, from other uses until the device has done with them.
void Upload::operator()(at::Tensor& tensor) {
  const Stream& stream = *state_->stream;
  if (!tensor.defined() || tensor.device() == stream.device || !stream.copies) {
    return;
  }
  const c10::StreamGuard beside(*stream.copies);
  const at::Tensor pinned = tensor.is_cpu() && !tensor.is_pinned() ? tensor.pin_memory() : tensor;
  tensor = pinned.to(stream.device, /*dtype=*/tensor.scalar_type(), /*non_blocking=*/true);
  state_->copies.push_back(tensor);
}

void Upload::end() {
  if (!state_->copies.empty()) {
    const c10::Stream& copies = *state_->stream->copies;
    state_->end.emplace(copies.device_type());
    state_->end->record(copies);
  }
}

void Upload::hand_over() {
  if (!state_->end) {
    return;
  }
  const c10::Device device = state_->stream->device;
  const c10::Stream current = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  state_->end->block(current);
  for (const at::Tensor& copy : std::exchange(state_->copies, {})) {
    copy.record_stream(current);
  }
}

}  // namespace graphed::impl
