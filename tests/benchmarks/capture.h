// SPDX-License-Identifier: Apache-2.0
//
// Graphs captured without a graphed callable, to compare with.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <vector>

namespace benchmarks {

using procedure = std::function<void()>;

/// A replay of what each of the bodies does, captured in their order into one pool, by at::cuda::CUDAGraph, as PyTorch's documentation
/// writes it. On a CPU, where LibTorch has no graphs, by graphed::Graph.
std::vector<procedure> capture_by_hand(c10::Device device, const std::vector<procedure>& bodies);

/// Bare launches, one after another, of graphs that are captured from `bodies` in their order, into one pool: cudaGraphLaunch and nothing
/// else. On a CPU ExecutableGraph::replay(). They have run once.
procedure capture_bare(c10::Device device, const std::vector<procedure>& bodies);

}  // namespace benchmarks
