// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for CUDA's runtime and cuBLAS.
#pragma once
#pragma GCC system_header

#include <cstddef>

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct cublasContext* cublasHandle_t;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyDefault };
#define cudaStreamLegacy ((cudaStream_t)0x1)

extern "C" {
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaMallocHost(void** memory, size_t bytes);
cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemset(void* memory, int value, size_t bytes);
cudaError_t cudaLaunchKernel(const void* kernel, int grid, int block, void** arguments, size_t shared, cudaStream_t stream);
int cublasCreate_v2(cublasHandle_t* handle);
int cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
int cublasSscal_v2(cublasHandle_t handle, int n, const float* alpha, float* x, int step);
}
template <class T>
static inline cudaError_t cudaMalloc(T** memory, size_t bytes) {
  return ::cudaMalloc((void**)memory, bytes);
}
