// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/capture.h"

#include "backend/cuda/branches.h"
#include "backend/cuda/cleanup.h"
#include "backend/cuda/executable.h"
#include "backend/cuda/memory_nodes.h"
#include "backend/cuda/pool.h"
#include "backend/cuda/random.h"
#include "backend/cuda/room.h"
#include "watch/recorder.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_eigh.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <dlfcn.h>
#include <graphed/capture.h>
#include <graphed/error.h>

#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

cudaStreamCaptureMode mode_of(CaptureErrorMode mode) {
  return mode == CaptureErrorMode::Global ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeThreadLocal;
}

std::vector<c10::Storage> storages_from_outside(const recording& seen) {
  std::vector<c10::Storage> storages;
  for (const auto& outside : seen.tensors()->all()) {
    if (outside.tensor.has_storage()) {
      storages.push_back(outside.tensor.storage());
    }
  }
  return storages;
}

bool linear_algebra_is_loaded() {
  void* library = dlopen("libtorch_cuda_linalg.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) {
    dlclose(library);
  }
  return library != nullptr;
}

// cuSOLVER keeps the error of a call that a capture refused, and its next call fails with it, once (measured with CUDA 13.0: eigh, geev,
// sytrf). Makes that call, the smallest of those that were seen to take the error. Nothing happens where the process has not used
// LibTorch's linear algebra on a GPU. Not inside a capture.
void take_error_from_cusolver(c10::Device device) noexcept {
  if (!linear_algebra_is_loaded()) {
    return;
  }
  const unrecorded_scope unseen;
  const c10::NoGradGuard no_grad;
  try {
    at::linalg_eigh(at::eye(2, at::TensorOptions(device)));
  } catch (const std::exception&) {  // it is the capture's, which has been told
    static_cast<void>(cudaGetLastError());
  }
}

/// Takes the errors that a failed capture has left, after everything else of it has died. One that was there before is the caller's.
class library_errors {
 public:
  explicit library_errors(c10::Device device) : device_(device), is_callers_(cudaPeekAtLastError() != cudaSuccess) {}
  ~library_errors() {
    if (is_over_) {
      return;
    }
    take_error_from_cusolver(device_);
    if (!is_callers_) {
      static_cast<void>(cudaGetLastError());
    }
  }
  library_errors& operator=(library_errors&&) = delete;

  void are_over() { is_over_ = true; }

 private:
  const c10::Device device_;
  const bool is_callers_;
  bool is_over_ = false;
};

/// Captures what is queued on a stream. It begins and ends on one thread; what was not ended is thrown away.
class stream_capture {
 public:
  stream_capture(cudaStream_t stream, cudaStreamCaptureMode mode) : stream_(stream) {
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream_, mode));
  }
  ~stream_capture() {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    warn_if_failed(cudaStreamIsCapturing(stream_, &status), "asking for the state of a capture");
    if (status == cudaStreamCaptureStatusNone) {
      return;
    }
    // The end of an invalidated capture is an error, which says nothing new.
    cudaGraph_t graph = nullptr;
    static_cast<void>(cudaStreamEndCapture(stream_, &graph));
    const graph_handle discarded(graph);
    static_cast<void>(cudaGetLastError());
  }
  stream_capture& operator=(stream_capture&&) = delete;

  c10::CaptureId_t id() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream_, &status, &id));
    return id;
  }
  graph_handle end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
    graph_handle handle(graph);
    C10_CUDA_CHECK(error);
    return handle;
  }

 private:
  const cudaStream_t stream_;
};

// The stages of a capture, in their order; when one throws, or the capture dies, those before it are undone.
class cuda_capture final : public open_capture {
 public:
  cuda_capture(order_domain& domain, const capture_request& request, c10::cuda::CUDAStream stream)
      : open_capture(request.device),
        errors_(request.device),
        domain_(domain),
        stream_(stream),
        kept_(request.standalone ? request.seen : nullptr),
        branches_(add_branches(request)),
        current_(stream),
        turn_(domain, stream),
        random_(domain),
        generator_(random_.generator, random_.seed, random_.offset),
        workspaces_(stream.stream(), request.stream ? workspace_users::graph : workspace_users::stream),
        memory_(std::make_unique<pool_share>(domain, static_cast<const cuda_pool&>(request.memory).id())),
        work_(stream.stream(), mode_of(request.error_mode)) {
    memory_->accept(work_.id());
    generator_.begin(work_.id());
    if (request.error_mode == CaptureErrorMode::Relaxed) {
      relaxed_.emplace();
    }
  }

  void begin_with(const std::vector<at::Tensor>& targets) override {
    staging_ = std::make_unique<staging>(stream_.stream(), targets, random_);
    if (branches_) {
      branches_->begin(domain_, stream_);
    }
  }

  void end_with(const std::vector<at::Tensor>& sources) override {
    join_branches();
    if (!sources.empty()) {
      staging_->tail.emplace(stream_.stream(), sources);
    }
    graph_ = work_.end();
  }

 private:
  static std::shared_ptr<operator_branches> add_branches(const capture_request& request) {
    if (request.branches <= 1 || !are_operators_met()) {
      return nullptr;
    }
    auto made = std::make_shared<operator_branches>(request.seen->outside(), request.branches);
    request.seen->add_recorder(made);
    return made;
  }

  void join_branches() {
    if (branches_ && branches_->is_open()) {
      of_branches_ = branches_->join();
    }
  }

  std::unique_ptr<captured_graph> finish() override {
    if (!graph_) {
      end_with({});
    }
    memory_->stop();
    const uint64_t increment = generator_.drawn();
    auto random = increment == 0 ? std::nullopt : std::optional<random_numbers>(std::in_place, random_, increment);
    if (staging_ && !random && !is_fixed(graph_.get())) {
      staging_->nodes.keep_first(staging_->seed);
      if (staging_->is_idle()) {
        staging_.reset();
      }
    }
    shared_workspaces workspaces = workspaces_.share();
    workspaces.insert(workspaces.end(), of_branches_.begin(), of_branches_.end());
    auto resources = std::make_shared<graph_resources>(domain_, stream_, std::move(memory_), std::move(workspaces), std::move(random),
                                                       kept_ ? storages_from_outside(*kept_) : std::vector<c10::Storage>());
    errors_.are_over();
    return std::make_unique<cuda_graph>(identity(), std::move(graph_), std::move(resources), std::move(staging_));
  }

  library_errors errors_;
  order_domain& domain_;
  const c10::cuda::CUDAStream stream_;
  const std::shared_ptr<recording> kept_;              ///< whose tensors from outside the graph keeps, or null
  const std::shared_ptr<operator_branches> branches_;  ///< null: each operator comes after the one before
  shared_workspaces of_branches_;
  const c10::cuda::CUDAStreamGuard current_;
  const order_domain::capture_turn turn_;
  const philox_memory random_;
  captured_generator generator_;
  workspace_watch workspaces_;
  std::unique_ptr<pool_share> memory_;
  stream_capture work_;
  graph_handle graph_;  ///< null while the stream captures
  std::unique_ptr<staging> staging_;
  std::optional<relaxed_capture_mode> relaxed_;
};

}  // namespace

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error == cudaErrorStreamCaptureImplicit) {
    static_cast<void>(cudaGetLastError());
    return true;
  }
  C10_CUDA_CHECK(error);
  return status != cudaStreamCaptureStatusNone;
}

std::unique_ptr<open_capture> begin_capture(order_domain& domain, const capture_request& request) {
  const auto stream = request.stream ? c10::cuda::CUDAStream(*request.stream) : domain.capture_stream(request.lane);
  if (stream == c10::cuda::getDefaultCUDAStream(domain.device())) {
    throw Error("graphed: the default stream cannot be captured: choose another one, or none (replays may be on the default stream)");
  }
  if (is_capturing(c10::cuda::getCurrentCUDAStream(domain.device()).stream()) || is_capturing(stream.stream())) {
    throw foreign_capture("the current stream is inside a capture already");
  }
  refuse_captured_generator(domain.device());  // before memory is returned to the device, which could end the other capture
  {
    const c10::cuda::CUDAStreamGuard on_stream(domain.capture_stream());
    const relaxed_capture_mode relaxed;
    prepare_cublas(domain, request.lane, request.error_mode == CaptureErrorMode::Relaxed);
    make_room(domain.device());
  }
  return std::make_unique<cuda_capture>(domain, request, stream);
}

}  // namespace graphed::impl
