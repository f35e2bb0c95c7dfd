// SPDX-License-Identifier: Apache-2.0
#include "distributed/nccl.h"

#include "report/pages.h"

#include <graphed/error.h>

#ifdef GRAPHED_WITH_NCCL
#include <ATen/ops/zeros.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>
#endif

namespace graphed::impl {

#ifdef GRAPHED_WITH_NCCL
namespace {

std::string lower_case_value(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): as c10d reads it
  std::string text = value == nullptr ? "" : value;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return text;
}

void refuse(const char* name, const std::string& why) {
  throw Error(std::string("graphed: ProcessGroup: ") + name + " is set, and " + why + ": unset it" + see(pages::distributed));
}

void check_environment() {
  const std::string blocking = lower_case_value("TORCH_NCCL_BLOCKING_WAIT");
  if (!blocking.empty() && blocking != "0" && blocking != "false" && blocking != "no") {
    refuse("TORCH_NCCL_BLOCKING_WAIT", "the host would wait in each collective, which no capture can hold");
  }
  if (lower_case_value("TORCH_DISTRIBUTED_DEBUG") == "detail") {
    refuse("TORCH_DISTRIBUTED_DEBUG=DETAIL", "the host would compare each collective over the ranks, which no capture can hold");
  }
}

}  // namespace

c10::intrusive_ptr<c10d::Backend> nccl_backend(c10::intrusive_ptr<c10d::Store> store, int rank, int size, c10::Device device) {
  check_environment();
  // In a capture NCCL would register buffers by an exchange between the ranks.
  setenv("NCCL_GRAPH_REGISTER", "0", /*overwrite=*/0);  // NOLINT(concurrency-mt-unsafe): before the process has a communicator
  auto options = c10d::ProcessGroupNCCL::Options::create();
  auto made = c10::make_intrusive<c10d::ProcessGroupNCCL>(std::move(store), rank, size, std::move(options));
  std::vector<at::Tensor> connect{at::zeros({1}, at::TensorOptions(device))};
  c10d::AllreduceCoalescedOptions on_this_stream;
  on_this_stream.asyncOp = false;
  made->allreduce_coalesced(connect, on_this_stream);
  return made;
}
#else
c10::intrusive_ptr<c10d::Backend> nccl_backend(c10::intrusive_ptr<c10d::Store> /*store*/, int /*rank*/, int /*size*/,
                                               c10::Device /*device*/) {
  throw Error(
      "graphed: ProcessGroup: the runtime was built without NCCL: CMake has found no nccl.h beside LibTorch, nor in the CUDA toolkit" +
      see(pages::distributed));
}
#endif

}  // namespace graphed::impl
