// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the CUDA backend share. They see it through the seam, backend.h, alone.
#pragma once

#include "backend/backend.h"
#include "watch/recording.h"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace graphed::testing {

using namespace impl;

using body_function = std::function<void()>;

inline at::Device device() { return at::Device(at::kCUDA, 0); }
inline at::Tensor filled(double value, at::IntArrayRef shape = {64, 64}) { return at::full(shape, value, device()); }
inline at::Tensor random(at::IntArrayRef shape = {64, 64}) { return at::randn(shape, device()); }
inline void synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }

inline uint64_t generator_offset() { return at::cuda::detail::getDefaultCUDAGenerator(0).get_offset(); }

/// Bytes that the allocator holds once it has returned what it can.
inline int64_t reserved_bytes() {
  synchronize();
  c10::cuda::CUDACachingAllocator::emptyCache();
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].current;
}

inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

inline std::shared_ptr<recording> make_recording() {
  return std::make_shared<recording>(recording::purpose::capture, /*host_tensors_allowed=*/false);
}

inline std::unique_ptr<executable> capture_into(pool& memory, const body_function& body) {
  const auto begin_and_run = [&](open_capture& open) {
    open.begin();
    body();
  };
  return backend_for(at::kCUDA)->capture(device(), memory, make_recording(), begin_and_run, [](const captured_graph&) {});
}

class cuda_test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!at::cuda::is_available()) {
      GTEST_SKIP() << "NO CUDA DEVICE: the CUDA backend was not tested";
    }
    ASSERT_NE(backend_for(at::kCUDA), nullptr) << "the CUDA backend is not registered";
    at::manual_seed(1);
  }

  static backend& cuda() { return *backend_for(at::kCUDA); }
  static std::unique_ptr<pool> make_pool() { return cuda().make_pool(device()); }

  static std::unique_ptr<executable> capture(pool& memory, const body_function& body) { return capture_into(memory, body); }
};

/// A graph with a pool of its own, unless one is given.
struct standalone_graph {
  std::shared_ptr<pool> memory;
  std::unique_ptr<executable> work;

  explicit standalone_graph(const body_function& body, std::shared_ptr<pool> given = nullptr)
      : memory(given ? std::move(given) : backend_for(at::kCUDA)->make_pool(device())), work(capture_into(*memory, body)) {}
  void replay() { work->replay(); }
};

}  // namespace graphed::testing
