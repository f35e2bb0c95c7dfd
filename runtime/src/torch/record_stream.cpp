// SPDX-License-Identifier: Apache-2.0
#include "torch/record_stream.h"

#include <ATen/ops/record_stream_native.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

namespace graphed::impl {
namespace {

stream_reader_watch met = nullptr;

void note_then_record(at::Tensor& tensor, c10::Stream stream) {
  met(tensor, stream);
  at::native::record_stream_cuda(tensor, stream);
}

struct silence final : c10::WarningHandler {
  void process(const c10::Warning& /*warning*/) override {}
};

}  // namespace

// LibTorch warns of each kernel that takes another one's place, which here is meant.
void watch_record_stream(stream_reader_watch meet) {
  met = meet;
  static auto& library = *new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  silence expected;
  const c10::WarningUtils::WarningHandlerGuard silent(&expected);
  library.impl("record_stream", TORCH_FN(note_then_record));
}

}  // namespace graphed::impl
