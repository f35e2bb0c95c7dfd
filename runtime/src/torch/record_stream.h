// SPDX-License-Identifier: Apache-2.0
//
// Tensor::record_stream, which LibTorch's allocator ignores for memory that is not its own.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

namespace graphed::impl {

using stream_reader_watch = void (*)(const at::Tensor& tensor, const c10::Stream& stream);

/// From now on, in the whole process, record_stream of a tensor on a CUDA device calls `meet` before LibTorch's own kernel. Once only.
void watch_record_stream(stream_reader_watch meet);

}  // namespace graphed::impl
