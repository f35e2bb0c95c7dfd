// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/executable.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/driver.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/ScopeExit.h>

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

static std::vector<at::Tensor> with_random(std::vector<at::Tensor> targets, const generator_capture& generator) {
  targets.push_back(generator.seed());
  targets.push_back(generator.offset());
  return targets;
}

staging::staging(cudaStream_t stream, std::vector<at::Tensor> targets, const generator_capture& generator)
    : seed(targets.size()), nodes(stream, with_random(std::move(targets), generator)) {}

void staging::find_in(cudaGraph_t clone) {
  nodes.find_in(clone);
  if (tail) {
    tail->find_in(clone);
  }
}

void staging::patch(cudaGraphExec_t exec) {
  nodes.patch(exec);
  if (tail) {
    tail->patch(exec);
  }
}

void staging::forget() noexcept {
  nodes.forget();
  if (tail) {
    tail->forget();
  }
}

graph_executable::graph_executable(graph_identity identity, std::shared_ptr<const graph_handle> graph, graph_exec_handle exec,
                                   std::shared_ptr<graph_resources> resources, std::unique_ptr<staging> staging)
    : executable(identity),
      resources_(std::move(resources)),
      graph_(std::move(graph)),
      staging_(std::move(staging)),
      exec_(std::move(exec)) {}

uint64_t graph_executable::copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  if (staging_ && staging_->nodes.copy(place, from)) {
    return to.nbytes();
  }
  resources_->domain().begin_use();
  return executable::copy_in(place, to, from);
}

uint64_t graph_executable::fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value) {
  if (staging_ && staging_->nodes.fill(place, value)) {
    return to.nbytes();
  }
  resources_->domain().begin_use();
  return executable::fill_in(place, to, value);
}

bool graph_executable::copy_out(std::size_t place, const at::Tensor& to) {
  return staging_ && staging_->tail && staging_->tail->copy_out(place, to);
}

void graph_executable::prepare_launch() {
  if (random_numbers* const random = resources_->random()) {
    const auto position = random->take();
    if (staging_) {
      staging_->nodes.fill_integer(staging_->seed, position.seed);
      staging_->nodes.fill_integer(staging_->seed + 1, position.offset);
    } else {
      random->write(position);
    }
  }
  if (staging_) {
    staging_->patch(exec_.get());
  }
}

// The driver's functions, unlike the runtime's, make no context current in a thread that has none.
static void enter_context(c10::DeviceIndex device) {
  static thread_local bool entered = false;
  if (!entered) {
    C10_CUDA_CHECK(cudaSetDevice(device));
    entered = true;
  }
}

void graph_executable::run() {
  order_domain& domain = resources_->domain();
  std::optional<c10::cuda::CUDAGuard> on_device;
  if (c10::cuda::device_count() > 1) {
    on_device.emplace(domain.device());
  }
  enter_context(domain.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(domain.device()).stream();
  const auto forget = c10::make_scope_exit([this]() noexcept {
    if (staging_) {
      staging_->forget();
    }
  });
  domain.use(stream, [&] {
    prepare_launch();
    C10_CUDA_CHECK(as_runtime_error(driver::get().launch(exec_.get(), stream)));
  });
}

}  // namespace graphed
