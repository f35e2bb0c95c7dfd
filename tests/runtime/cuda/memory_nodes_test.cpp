// SPDX-License-Identifier: Apache-2.0
//
// Graphs whose memset and memcpy nodes are replaced by kernels do the same.
#include "backend/cuda/memory_nodes.h"
#include "backend/cuda/cleanup.h"

#include "support.h"

#include <c10/cuda/CUDAException.h>

namespace graphed::testing {
namespace memory_nodes_test {

class cuda_memory_nodes : public cuda_test {};

/// A chain of memory nodes over one buffer.
class chain {
 public:
  chain() {
    cudaGraph_t graph = nullptr;
    C10_CUDA_CHECK(cudaGraphCreate(&graph, 0));
    graph_.reset(graph);
  }

  void set(char* to, unsigned value, unsigned element_size, std::size_t width, std::size_t height = 1, std::size_t pitch = 0) {
    cudaMemsetParams params{};
    params.dst = to;
    params.value = value;
    params.elementSize = element_size;
    params.width = width;
    params.height = height;
    params.pitch = pitch;
    cudaGraphNode_t node = nullptr;
    C10_CUDA_CHECK(cudaGraphAddMemsetNode(&node, graph_.get(), &last_, last_ == nullptr ? 0 : 1, &params));
    last_ = node;
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    cudaGraphNode_t node = nullptr;
    C10_CUDA_CHECK(cudaGraphAddMemcpyNode1D(&node, graph_.get(), &last_, last_ == nullptr ? 0 : 1, to, from, bytes, cudaMemcpyDefault));
    last_ = node;
  }
  void copy(const cudaMemcpy3DParms& params) {
    cudaGraphNode_t node = nullptr;
    C10_CUDA_CHECK(cudaGraphAddMemcpyNode(&node, graph_.get(), &last_, last_ == nullptr ? 0 : 1, &params));
    last_ = node;
  }

  void replace() { replace_memory_nodes(graph_.get(), 0); }
  bool has_memory_nodes() const { return impl::has_memory_nodes(graph_.get()); }
  void run() const {
    cudaGraphExec_t exec = nullptr;
    C10_CUDA_CHECK(cudaGraphInstantiate(&exec, graph_.get(), 0));
    const graph_exec_handle handle(exec);
    C10_CUDA_CHECK(cudaGraphLaunch(exec, nullptr));
    C10_CUDA_CHECK(cudaDeviceSynchronize());
  }

 private:
  graph_handle graph_;
  cudaGraphNode_t last_ = nullptr;
};

at::Tensor bytes(int64_t count) { return at::randint(256, {count}, at::TensorOptions(at::kByte).device(device())); }
char* address(const at::Tensor& tensor) { return static_cast<char*>(tensor.data_ptr()); }

/// The buffer after the chain that `make` builds over it, replaced and not.
template <class Make>
void expect_same_bytes(const Make& make, bool all_replaced = true) {
  const at::Tensor from = bytes(1 << 16), kept = bytes(1 << 16), replaced = kept.clone();
  chain nodes, kernels;
  make(nodes, address(kept), address(from));
  make(kernels, address(replaced), address(from));
  EXPECT_TRUE(nodes.has_memory_nodes());
  kernels.replace();
  EXPECT_EQ(kernels.has_memory_nodes(), !all_replaced);
  nodes.run();
  kernels.run();
  EXPECT_TRUE(at::equal(kept, replaced));
}

TEST_F(cuda_memory_nodes, memsets_of_every_width) {
  expect_same_bytes([](chain& graph, char* to, char*) {
    graph.set(to, 0, 1, 1 << 16);
    graph.set(to + 3, 0xab, 1, 1001);
    graph.set(to + 2000, 0xabcd, 2, 333);
    graph.set(to + 4000, 0x1234abcd, 4, 77);
  });
}

// Of sixteen bytes, and of four where the place, the row or the pitch allows no more.
TEST_F(cuda_memory_nodes, memsets_of_wide_words) {
  expect_same_bytes([](chain& graph, char* to, char*) {
    graph.set(to, 0xab, 1, 4096 + 16);
    graph.set(to + 8192, 0xabcd, 2, 4096);
    graph.set(to + 20000, 0x1234abcd, 4, 4 * 257);
    graph.set(to + 30004, 0xcd, 1, 64);
    graph.set(to + 31000, 0xcd, 1, 64 + 4);
    graph.set(to + 32768, 0x89, 1, 48, 20, 512);
    graph.set(to + 32768 + 64, 0x89ab, 2, 24, 20, 516);
    graph.set(to + 32768 + 16384, 0x12345678, 4, 8, 20, 32);
  });
}

TEST_F(cuda_memory_nodes, memsets_of_rows) {
  expect_same_bytes([](chain& graph, char* to, char*) {
    graph.set(to, 7, 1, 13, 20, 512);
    graph.set(to + 64, 0x5678, 2, 13, 20, 512);
    graph.set(to + 128, 0x12345678, 4, 13, 20, 512);
  });
}

TEST_F(cuda_memory_nodes, memcpys_of_any_size_and_alignment) {
  expect_same_bytes([](chain& graph, char* to, char* from) {
    std::size_t place = 0;
    for (const std::size_t size : {1, 2, 15, 16, 17, 64, 100, 4096, 9999}) {
      graph.copy(to + place, from + place, size);
      graph.copy(to + place + 20000, from + place + 1, size);
      place += (size + 63) / 16 * 16;
    }
  });
}

TEST_F(cuda_memory_nodes, memcpys_of_slices) {
  expect_same_bytes([](chain& graph, char* to, char* from) {
    cudaMemcpy3DParms params{};
    params.srcPtr = make_cudaPitchedPtr(from, 256, 256, 16);
    params.dstPtr = make_cudaPitchedPtr(to, 512, 512, 20);
    params.srcPos = make_cudaPos(5, 2, 1);
    params.dstPos = make_cudaPos(16, 1, 0);
    params.extent = make_cudaExtent(100, 7, 3);
    params.kind = cudaMemcpyDeviceToDevice;
    graph.copy(params);
    params.srcPos = make_cudaPos(0, 0, 0);
    params.dstPos = make_cudaPos(0, 0, 4);
    params.extent = make_cudaExtent(64, 16, 2);
    graph.copy(params);
  });
}

TEST_F(cuda_memory_nodes, copies_from_the_host_are_left) {
  const at::Tensor host = at::arange(64, at::kByte).pin_memory();
  expect_same_bytes(
      [&host](chain& graph, char* to, char* from) {
        graph.copy(to, host.data_ptr(), 64);
        graph.copy(to + 100, from, 64);
        graph.copy(to + 32, to, 16);
      },
      /*all_replaced=*/false);
}

TEST_F(cuda_memory_nodes, a_captured_graph_has_none_when_it_runs) {
  const auto x = random({1000});
  at::Tensor y;
  standalone_graph graph([&] { y = at::zeros_like(x).add_(x).clone(); });
  graph.replay();
  EXPECT_TRUE(at::equal(y, x));
}

// Memory that a kernel's own code allocates on the stream.
TEST_F(cuda_memory_nodes, a_graph_that_allocates_is_left_as_it_is) {
  const auto x = random({1000});
  const auto memory = make_pool();
  const auto zero = [&](open_capture& capture) {
    capture.begin_with({});
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
    void* scratch = nullptr;
    C10_CUDA_CHECK(cudaMallocAsync(&scratch, x.nbytes(), stream));
    C10_CUDA_CHECK(cudaMemsetAsync(scratch, 0, x.nbytes(), stream));
    C10_CUDA_CHECK(cudaMemcpyAsync(x.data_ptr(), scratch, x.nbytes(), cudaMemcpyDeviceToDevice, stream));
    C10_CUDA_CHECK(cudaFreeAsync(scratch, stream));
  };
  const auto work = cuda().capture(device(), *memory, make_recording(), zero, [](const auto&) {});
  for (int i = 0; i < 2; ++i) {
    x.fill_(1);
    work->replay();
    EXPECT_TRUE(at::equal(x, at::zeros_like(x)));
  }
}

}  // namespace memory_nodes_test
}  // namespace graphed::testing
