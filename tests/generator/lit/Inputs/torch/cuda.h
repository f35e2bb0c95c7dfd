// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for LibTorch's streams, events, allocators and generators of CUDA.
#pragma once

#include <cuda_runtime.h>
#include <torch/torch.h>

namespace c10::cuda {
CUDAStream getDefaultCUDAStream(int device = -1);
class CUDAEvent {
 public:
  float elapsed_time(const CUDAEvent& other) const;
  void record(const CUDAStream& stream);
  void synchronize() const;
};
void device_synchronize();
namespace CUDACachingAllocator {
inline void emptyCache() {}
}  // namespace CUDACachingAllocator
}  // namespace c10::cuda

namespace at {
class CUDAGeneratorImpl;
class CPUGeneratorImpl;
template <class Impl, class... Args>
Generator make_generator(Args&&... args);
Tensor rand(IntArrayRef size, std::optional<Generator> generator, TensorOptions options = {});
Tensor bernoulli(const Tensor& self, std::optional<Generator> generator = std::nullopt);
namespace cuda {
using namespace c10::cuda;
namespace detail {
const Generator& getDefaultCUDAGenerator(int device = -1);
Generator createCUDAGenerator(int device = -1);
}  // namespace detail
}  // namespace cuda
}  // namespace at

namespace torch::cuda {
void synchronize(std::int64_t device = -1);
}
