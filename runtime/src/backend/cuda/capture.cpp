// SPDX-License-Identifier: Apache-2.0
//
// Capturing a graph as a transaction. at::cuda::CUDAGraph cannot be unwound once something throws between its begin and its end. The stream
// stays capturing, the allocator keeps routing to the pool, the generator refuses to draw. Here each piece is an object that undoes what it
// did.
#include "backend/cuda/branches.h"
#include "backend/cuda/cleanup.h"
#include "backend/cuda/conditional.h"
#include "backend/cuda/executable.h"
#include "backend/cuda/fused_nodes.h"
#include "backend/cuda/host_ring.h"
#include "backend/cuda/memory_nodes.h"
#include "backend/cuda/pool.h"
#include "backend/cuda/random.h"
#include "backend/cuda/side_streams.h"
#include "backend/cuda/stream.h"
#include "backend/cuda/stream_capture.h"
#include "backend/stream_hook.h"
#include "report/thread_number.h"
#include "watch/recorder.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_eigh.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/ScopeExit.h>
#include <dlfcn.h>
#include <graphed/capture.h>
#include <graphed/error.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

std::vector<c10::Storage> storages_from_outside(const recording& seen) {
  std::vector<c10::Storage> storages;
  for (const auto& outside : seen.tensors()->all()) {
    if (outside.tensor.has_storage()) {
      storages.push_back(outside.tensor.storage());
    }
  }
  return storages;
}

void add_storages(std::vector<c10::Storage>& to, const std::vector<at::Tensor>& tensors) {
  std::transform(tensors.begin(), tensors.end(), std::back_inserter(to), [](const at::Tensor& each) { return each.storage(); });
}

// cuSOLVER keeps the error of a call that a capture refused, and its next call fails with it, once (measured with CUDA 13.0: eigh, geev,
// sytrf). Makes that call, the smallest of those that were seen to take the error. Nothing happens where the process has not used
// LibTorch's linear algebra on a GPU. Not inside a capture.
void take_error_from_cusolver(c10::Device device) noexcept {
  void* const linear_algebra = dlopen("libtorch_cuda_linalg.so", RTLD_LAZY | RTLD_NOLOAD);
  if (linear_algebra == nullptr) {
    return;
  }
  dlclose(linear_algebra);
  const unrecorded_scope unseen;
  const c10::NoGradGuard no_grad;
  try {
    at::linalg_eigh(at::eye(2, at::TensorOptions(device)));
  } catch (const std::exception&) {  // it is the capture's, which has learned of it
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

class work_ahead final : public ahead_of_replays {
 public:
  explicit work_ahead(c10::Device device) : stream_(stream_ahead_of_replays(device.index())) {}

  void run(c10::function_ref<void()> work) override {
    const relaxed_capture_mode relaxed;
    const c10::cuda::CUDAStreamGuard on_stream(stream_);
    work();
    C10_CUDA_CHECK(cudaStreamSynchronize(stream_.stream()));
  }

 private:
  const c10::cuda::CUDAStream stream_;
};

/// The stream that is captured, and what else belongs to it: restored when this dies.
struct captured_stream {
  captured_stream(order_domain& domain, c10::cuda::CUDAStream stream, workspace_users users)
      : domain(domain), stream(stream), current(stream), turn(domain, stream), workspaces(stream.stream(), users) {}

  order_domain& domain;
  const c10::cuda::CUDAStream stream;
  const c10::cuda::CUDAStreamGuard current;
  const order_domain::capture_turn turn;
  workspace_watch workspaces;
};

// The stages of a capture, in their order; when one throws, or the capture dies, those before it are undone.
class cuda_capture final : public open_capture, private piecewise_capture, private flow_capture {
 public:
  cuda_capture(order_domain& domain, const capture_request& request, c10::cuda::CUDAStream stream)
      : open_capture(request.device, request.memory.turns()),
        device_(request.device),
        errors_(request.device),
        error_mode_(request.error_mode),
        seen_(request.seen),
        is_standalone_(request.standalone),
        ahead_(request.device),
        sides_(add_sides(domain, stream, *request.seen)),
        branches_(add_branches(request)),
        fusion_(request),
        on_(domain, stream, request.stream ? workspace_users::graph : workspace_users::stream),
        random_(domain),
        memory_(std::make_unique<pool_share>(domain, static_cast<const cuda_pool&>(request.memory).id())) {
    seen_->copy_constants_ahead(ahead_);
    seen_->host_parts().end_pieces_of(*this, request.device);
    seen_->hold_flow(*this);
  }

  ~cuda_capture() override { sides_->end(); }

  void begin() override {
    random_.prepare();
    if (error_mode_ != CaptureErrorMode::Relaxed) {
      relaxed_.reset();
    }
    begin_piece();
    random_.begin(work_->id());
  }

  void begin_with(const std::vector<at::Tensor>& targets, uint64_t from_host) override {
    begin();
    auto places = targets;
    places.insert(places.end(), {random_.memory().seed, random_.memory().offset});
    staging_ = std::make_unique<staging>(staging{targets.size(), {on_.stream.stream(), places, from_host}, std::nullopt});
    begin_operators();
  }

  void end_with(const std::vector<at::Tensor>& sources) override {
    if (!work_) {
      begin();
    }
    if (branches_ && branches_->is_open()) {
      branches_->join();
      of_branches_ = branches_->workspaces();
    }
    if (!sources.empty()) {
      staging_->tail.emplace(on_.stream.stream(), sources);
    }
    if (results_) {
      capture_delivery(*results_, on_.stream.stream());
    }
    graph_ = fusion_.end(*work_);
  }

  void deliver(delivery results) override { results_ = std::move(results); }

 private:
  void begin_piece() {
    work_.emplace(on_.stream.stream(), error_mode_);
    memory_->accept(work_->id());
    tell_use(StreamUse::Capture, on_.stream.unwrap());
  }

  void end_piece(between_pieces what) override {
    if (thread_number() != thread_) {
      throw CaptureError("a host part runs on another thread than the callable, as one of a backward does: run it on the callable's own");
    }
    if (branches_ && branches_->is_open()) {
      branches_->join();
    }
    pieces_.push_back(std::make_shared<graph_handle>(fusion_.end(*work_)));
    between_.push_back(std::move(what));
    begin_piece();
    random_.go_on(work_->id());
  }

  void begin_operators() override {
    if (branches_) {
      branches_->begin(on_.domain, on_.stream);
    }
    fusion_.begin(on_.stream);
  }

  void choose(const flow_choice& what, c10::ArrayRef<flow_body> bodies) override {
    require_conditional_nodes();
    if (branches_ && branches_->is_open()) {
      throw unordered_work{};
    }
    if (c10::cuda::getCurrentCUDAStream(on_.domain.device()) != innermost()) {
      throw CaptureError(std::string(what.name()) + " runs on another stream than the callable: run it on the callable's own");
    }
    if (what.truth.device() != device_) {
      throw CaptureError(std::string(what.name()) + ": expected a predicate on " + device_.str() + ", got one on " +
                         what.truth.device().str() + ": make it from tensors of the device, or branch by `if`");
    }
    captured_choice made = begin_choice(what);
    made.bodies.resize(bodies.size());
    fusion_.set_paused(true);
    for (std::size_t turn = 0; turn < bodies.size(); ++turn) {
      const std::size_t number = what.body_in_turn(turn);
      made.bodies[number] = capture_body(bodies[number]);
    }
    fusion_.set_paused(!bodies_.empty());
    if (bodies_.empty()) {
      const auto [graph, tail] = place_in_capture(on_.stream.stream());
      update_tail(on_.stream.stream(), {add_choice(graph, tail, made)}, cudaStreamSetCaptureDependencies);
    } else {
      bodies_.back()->end_piece(std::move(made));
    }
  }

  void make_outside(c10::function_ref<void()> make) override {
    const c10::cuda::CUDAStreamGuard outside(bodies_.size() > 1 ? bodies_[bodies_.size() - 2]->stream : on_.stream);
    make();
  }

  /// A body whose capture is open, on a stream of its own: what it frees is used again within it alone.
  struct open_body {
    open_body(cuda_capture& of, c10::cuda::CUDAStream stream) : of(of), stream(stream), current(stream) { begin_piece(); }

    void begin_piece() {
      work.emplace(stream.stream(), of.error_mode_);
      of.memory_->accept(work->id());
      tell_use(StreamUse::Capture, stream.unwrap());
    }
    void end() {
      captured.pieces.push_back(work->end());
      work.reset();
      prepare_piece(captured.pieces.back().get(), of.on_.domain.device());
    }
    void end_piece(captured_choice choice) {
      end();
      captured.between.push_back(std::move(choice));
      begin_piece();
    }

    cuda_capture& of;
    const c10::cuda::CUDAStream stream;
    const c10::cuda::CUDAStreamGuard current;
    std::optional<stream_capture> work;
    captured_body captured;
  };

  captured_body capture_body(const flow_body& body) {
    const auto stream = body_stream(bodies_.size());
    bodies_.push_back(std::make_unique<open_body>(*this, stream));
    const auto leave = c10::make_scope_exit([this]() noexcept { bodies_.pop_back(); });
    body();
    bodies_.back()->end();
    return std::move(bodies_.back()->captured);
  }

  c10::cuda::CUDAStream innermost() const { return bodies_.empty() ? on_.stream : bodies_.back()->stream; }

  // Of a body within so many others.
  c10::cuda::CUDAStream body_stream(std::size_t depth) {
    const auto stream = on_.domain.branch_stream(on_.domain.lane_of(on_.stream), depth);
    if (depth == of_bodies_.size()) {
      if (has_workspace(on_.stream.stream())) {
        const relaxed_capture_mode memory_allowed;
        share_workspaces_on(stream);
      }
      of_bodies_.push_back(std::make_unique<workspace_watch>(stream.stream(), workspace_users::stream));
    }
    return stream;
  }

  static std::shared_ptr<side_streams> add_sides(order_domain& domain, c10::cuda::CUDAStream captured, recording& seen) {
    auto made = std::make_shared<side_streams>(domain, captured);
    if (are_operators_met()) {
      seen.add_recorder(made);
    }
    return made;
  }

  static std::shared_ptr<operator_branches> add_branches(const capture_request& request) {
    if (request.branches <= 1 || !are_operators_met()) {
      return nullptr;
    }
    auto made = std::make_shared<operator_branches>(request.seen->outside(), request.branches);
    request.seen->add_recorder(made);
    return made;
  }

  std::unique_ptr<captured_graph> finish() override {
    if (!graph_) {
      end_with({});
    }
    memory_->stop();
    auto random = random_.of_a_replay();
    pieces_.push_back(std::make_shared<graph_handle>(std::move(graph_)));
    if (staging_ && !random && !is_fixed(pieces_.front()->get())) {
      staging_->nodes.keep_first(staging_->seed);
      if (staging_->is_idle()) {
        staging_.reset();
      }
    }
    shared_workspaces workspaces = on_.workspaces.share();
    workspaces.add(std::move(of_branches_));
    workspaces.add(sides_->workspaces());
    for (const auto& each : of_bodies_) {
      workspaces.add(each->share());
    }
    std::vector<c10::Storage> used = is_standalone_ ? storages_from_outside(*seen_) : std::vector<c10::Storage>();
    add_storages(used, seen_->copied_constants());
    std::shared_ptr<graph_resources> resources(new graph_resources{on_.domain, on_.stream, sides_->lasting(), std::move(memory_),
                                                                   std::move(workspaces), std::move(random), std::move(used)});
    errors_.are_over();
    return std::make_unique<cuda_graph>(
        identity(), graph_parts{std::move(resources), std::move(pieces_), std::move(between_), std::move(staging_), fusion_.counts()});
  }

  const c10::Device device_;
  library_errors errors_;
  std::optional<relaxed_capture_mode> relaxed_{std::in_place};  ///< what is made before the capture ends no other one
  const CaptureErrorMode error_mode_;
  const std::shared_ptr<recording> seen_;
  const bool is_standalone_;  ///< the graph keeps the tensors from outside
  work_ahead ahead_;
  const std::shared_ptr<side_streams> sides_;
  const std::shared_ptr<operator_branches> branches_;  ///< null: each operator comes after the one before
  capture_fusion fusion_;
  shared_workspaces of_branches_;
  captured_stream on_;
  capture_draws random_;
  std::unique_ptr<pool_share> memory_;
  std::optional<stream_capture> work_;  ///< from begin() on
  graph_handle graph_;                  ///< from end_with() on: the last piece
  std::vector<std::shared_ptr<const graph_handle>> pieces_;
  std::vector<between_pieces> between_;
  std::vector<std::unique_ptr<workspace_watch>> of_bodies_;  ///< by depth
  std::vector<std::unique_ptr<open_body>> bodies_;           ///< each within the one before
  const uint64_t thread_ = thread_number();
  std::unique_ptr<staging> staging_;
  std::optional<delivery> results_;  ///< in the memory of the host
};

}  // namespace

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
    const c10::cuda::CUDAStreamGuard on_stream(domain.capture_stream(request.lane));
    const relaxed_capture_mode relaxed;
    prepare_cublas(domain, request.lane, request.error_mode == CaptureErrorMode::Relaxed);
    make_room(domain.device());
  }
  return std::make_unique<cuda_capture>(domain, request, stream);
}

}  // namespace graphed::impl
