// SPDX-License-Identifier: Apache-2.0
#include "executable.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <utility>

namespace graphed {

graph_executable::graph_executable(order_domain& domain, graph_exec_handle exec, graph_resources resources)
    : domain_(domain), resources_(std::move(resources)), exec_(std::move(exec)) {}

graph_executable::~graph_executable() {
  exec_.reset();
  domain_.retire();
}

void graph_executable::replay() {
  const c10::cuda::CUDAGuard on_device(domain_.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  domain_.use(stream, [&] {
    if (resources_.random) {
      resources_.random->advance();
    }
    C10_CUDA_CHECK(cudaGraphLaunch(exec_.get(), stream));
  });
}

}  // namespace graphed
