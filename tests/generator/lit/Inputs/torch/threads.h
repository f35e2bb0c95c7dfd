// SPDX-License-Identifier: Apache-2.0
//
// What the checks know of LibTorch's threads and streams. Included by torch.h.
#pragma once

typedef struct CUstream_st* cudaStream_t;

namespace at {
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const F& f);
}  // namespace at

namespace c10::cuda {
class CUDAStream {
 public:
  operator cudaStream_t() const;
  bool query() const;
  void synchronize() const;
  cudaStream_t stream() const;
};
CUDAStream getStreamFromPool();
CUDAStream getCurrentCUDAStream(int device = -1);
void setCurrentCUDAStream(CUDAStream stream);

struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream stream);
  ~CUDAStreamGuard();
};
}  // namespace c10::cuda

namespace at::cuda {
struct CUDAEvent {
  void record(const c10::cuda::CUDAStream& stream);
  void block(const c10::cuda::CUDAStream& stream);
};
}  // namespace at::cuda
