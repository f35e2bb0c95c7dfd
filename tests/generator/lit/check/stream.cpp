// SPDX-License-Identifier: Apache-2.0
//
// Work on streams that nothing joins.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: error: work on another stream
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::side(); }

using namespace c10::cuda;

GRAPHED(x: f32[2]) void alone(const torch::Tensor& x) {
  // CHECK: stream.cpp:[[#@LINE+1]]:25: error: work on another stream, which nothing in the callable waits for, is not part of the graph [graphed-stream]
  const CUDAStreamGuard guard(getStreamFromPool());
  x.tanh();
}

GRAPHED(x: f32[2]) void set(const torch::Tensor& x) {
  const auto side = getStreamFromPool();
  // CHECK: :[[#@LINE+1]]:3: error: work on another stream
  setCurrentCUDAStream(side);
}

void given(const CUDAStream& side) {
  // CHECK: :[[#@LINE+2]]:25: error: work on another stream
  // CHECK: note: called from 'pass' here
  const CUDAStreamGuard guard(side);
}
GRAPHED(x: f32[2]) void pass(const torch::Tensor& x) { given(getStreamFromPool()); }

// It is unknown what the other file does.
void join_elsewhere();
GRAPHED(x: f32[2]) void perhaps(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:25: warning: work on another stream
  const CUDAStreamGuard guard(getStreamFromPool());
  join_elsewhere();
}

void join(const CUDAStream& from, const CUDAStream& to) {
  at::cuda::CUDAEvent done;
  done.record(from);
  done.block(to);
}
GRAPHED(x: f32[2]) void joined(const torch::Tensor& x) {
  const auto caller = getCurrentCUDAStream(), side = getStreamFromPool();
  join(caller, side);
  {
    const CUDAStreamGuard guard(side);
    x.tanh();
  }
  join(side, caller);
}
void joined_by(const CUDAStream& side) {
  join(getCurrentCUDAStream(), side);
  {
    const CUDAStreamGuard guard(side);
  }
  join(side, getCurrentCUDAStream());
}
GRAPHED(x: f32[2]) void pass_and_join(const torch::Tensor& x) { joined_by(getStreamFromPool()); }
GRAPHED(x: f32[2]) void the_same(const torch::Tensor& x) { const CUDAStreamGuard guard(getCurrentCUDAStream()); }

#define SIDE() const CUDAStreamGuard guard(getStreamFromPool())
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: work on another stream
  // CHECK: note: expanded from macro 'SIDE'
  SIDE();
}

template <class Guard>
void work() {
  // CHECK: :[[#@LINE+2]]:15: error: work on another stream
  // CHECK: note: called from 'in_a_template' here
  const Guard guard(getStreamFromPool());
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { work<CUDAStreamGuard>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  const CUDAStreamGuard guard(getStreamFromPool());  // graphgen: allow(graphed-stream)
}
GRAPHED(x: f32[2]; allow = graphed-stream) void allowed(const torch::Tensor& x) { const CUDAStreamGuard guard(getStreamFromPool()); }
