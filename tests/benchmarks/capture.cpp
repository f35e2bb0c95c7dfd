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
  graphed::capture_options options;
  options.pool = graphed::graph_pool_handle(device);
  for (const procedure& body : bodies) {
    graphed::Graph graph(device);
    {
      const graphed::capture scope(graph, options);
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

procedure capture_by_libtorch(const procedure& body) {
  const auto graph = std::make_shared<at::cuda::CUDAGraph>();
  {
    const c10::cuda::CUDAStreamGuard side(c10::cuda::getStreamFromPool());
    graph->capture_begin();
    body();
    graph->capture_end();
  }
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  return [graph] { graph->replay(); };
}

#endif

}  // namespace

procedure capture_by_hand(c10::Device device, const procedure& body) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    return capture_by_libtorch(body);
  }
#endif
  return replay_all(capture_all(device, {body}));
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
