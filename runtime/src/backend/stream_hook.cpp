// SPDX-License-Identifier: Apache-2.0
#include "backend/stream_hook.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace graphed::impl {

std::atomic<StreamHook> installed_stream_hook{nullptr};

StreamHook set_stream_hook(StreamHook hook) noexcept { return installed_stream_hook.exchange(hook); }

void tell_use_of_current(StreamHook hook, StreamUse use, c10::Device device) {
  hook(c10::impl::VirtualGuardImpl(device.type()).getStream(device), use);
}

}  // namespace graphed::impl
