// SPDX-License-Identifier: Apache-2.0
#include "executable.h"

#include "cleanup.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <utility>

namespace graphed {

graph_resources::graph_resources(order_domain& domain, c10::cuda::CUDAStream stream, std::unique_ptr<pool_share> memory,
                                 shared_workspaces workspaces, std::optional<random_numbers> random, std::vector<c10::Storage> used)
    : domain_(domain),
      stream_(stream),
      memory_(std::move(memory)),
      workspaces_(std::move(workspaces)),
      random_(std::move(random)),
      used_(std::move(used)) {}

// The capture stream, which now waits for the last replay, counts as a user of the memory from outside: it is not handed out before.
graph_resources::~graph_resources() {
  domain_.retire(stream_);
  warn_if_thrown("keeping a graph's tensors for its last replay", [&] {
    for (const auto& storage : used_) {
      if (storage.device() == c10::Device(c10::kCUDA, domain_.device())) {
        c10::cuda::CUDACachingAllocator::recordStream(storage.data_ptr(), domain_.capture_stream());
      }
    }
  });
}

void graph_resources::advance_random_numbers() {
  if (random_) {
    random_->advance();
  }
}

graph_executable::graph_executable(graph_identity identity, graph_exec_handle exec, std::shared_ptr<graph_resources> resources)
    : executable(identity), resources_(std::move(resources)), exec_(std::move(exec)) {}

void graph_executable::run() {
  order_domain& domain = resources_->domain();
  const c10::cuda::CUDAGuard on_device(domain.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  domain.use(stream, [&] {
    resources_->advance_random_numbers();
    C10_CUDA_CHECK(cudaGraphLaunch(exec_.get(), stream));
  });
}

}  // namespace graphed
