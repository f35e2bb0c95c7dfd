// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <graphed/capture.h>

#if defined(BENCHMARKS_WITH_CUDA)
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <memory>
#include <utility>

namespace benchmarks {
namespace {

using executables = std::vector<graphed::ExecutableGraph>;

std::shared_ptr<executables> capture_all(c10::Device device, const std::vector<procedure>& bodies) {
  const auto made = std::make_shared<executables>();
  graphed::CaptureOptions options;
  options.pool = graphed::graph_pool_handle(device);
  for (const procedure& body : bodies) {
    graphed::Graph graph(device);
    {
      const graphed::CaptureGuard scope(graph, options);
      body();
    }
    made->push_back(graph.instantiate());
  }
  return made;
}

void replay_once(executables& made) {
  for (auto& each : made) {
    each.replay();
  }
}

std::vector<procedure> replays_of(std::shared_ptr<executables> made) {
  std::vector<procedure> replays;
  for (auto& each : *made) {
    replays.push_back([made, &each] { each.replay(); });
  }
  return replays;
}

procedure replay_all(std::shared_ptr<executables> made) {
  return [made = std::move(made)] { replay_once(*made); };
}

#if defined(BENCHMARKS_WITH_CUDA)

procedure launch_all(std::shared_ptr<executables> made) {
  std::vector<cudaGraphExec_t> handles;
  for (const auto& each : *made) {
    handles.push_back(each.raw_cuda_graph_exec());
  }
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  return [made = std::move(made), handles = std::move(handles), stream] {
    for (cudaGraphExec_t handle : handles) {
      C10_CUDA_CHECK(cudaGraphLaunch(handle, stream));
    }
  };
}

std::vector<procedure> capture_by_libtorch(const std::vector<procedure>& bodies) {
  std::vector<procedure> replays;
  const at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
  {
    const c10::cuda::CUDAStreamGuard side(c10::cuda::getStreamFromPool());
    for (const procedure& body : bodies) {
      const auto graph = std::make_shared<at::cuda::CUDAGraph>();
      graph->capture_begin(pool);
      body();
      graph->capture_end();
      replays.push_back([graph] { graph->replay(); });
    }
  }
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  return replays;
}

#endif

}  // namespace

std::vector<procedure> capture_by_hand(c10::Device device, const std::vector<procedure>& bodies) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    return capture_by_libtorch(bodies);
  }
#endif
  return replays_of(capture_all(device, bodies));
}

procedure capture_bare(c10::Device device, const std::vector<procedure>& bodies) {
  auto made = capture_all(device, bodies);
  replay_once(*made);  // gives graphs that draw random numbers their seed
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    return launch_all(std::move(made));
  }
#endif
  return replay_all(std::move(made));
}

}  // namespace benchmarks
