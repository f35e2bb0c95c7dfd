// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names.
#include "check/SyncCheck.h"

#include "check/code/KnownCalls.h"

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral Waiting[] = {"cudaDeviceSynchronize",
                                           "cudaThreadSynchronize",
                                           "cudaStreamSynchronize",
                                           "cudaEventSynchronize",
                                           "cuCtxSynchronize",
                                           "cuStreamSynchronize",
                                           "cuEventSynchronize",
                                           "torch::cuda::synchronize",
                                           "c10::cuda::device_synchronize",
                                           "c10::cuda::stream_synchronize",
                                           "c10::cuda::memcpy_and_sync",
                                           "c10::cuda::CUDAStream::synchronize",
                                           "c10::cuda::CUDAEvent::synchronize",
                                           "at::cuda::CUDAEvent::synchronize",
                                           "c10::Stream::synchronize",
                                           "c10::Event::synchronize",
                                           "at::accelerator::synchronizeDevice"};

constexpr llvm::StringLiteral Asking[] = {"cudaStreamQuery",
                                          "cudaEventQuery",
                                          "cuStreamQuery",
                                          "cuEventQuery",
                                          "c10::cuda::CUDAStream::query",
                                          "c10::cuda::CUDAEvent::query",
                                          "at::cuda::CUDAEvent::query",
                                          "c10::Stream::query",
                                          "c10::Event::query",
                                          "cudaEventElapsedTime",
                                          "cuEventElapsedTime",
                                          "c10::cuda::CUDAEvent::elapsed_time",
                                          "at::cuda::CUDAEvent::elapsed_time",
                                          "c10::Event::elapsedTime"};

}  // namespace

void SyncCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (!Call) {
    return;
  }
  if (Call.isOneOf(Waiting)) {
    report(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' waits for the device, which a graph cannot do");
  } else if (Call.isOneOf(Asking)) {
    report(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' asks the device how far it is, which a graph cannot do");
  }
}

}  // namespace graphgen::check
