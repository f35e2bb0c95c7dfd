// SPDX-License-Identifier: Apache-2.0
#include <graphed/capture.h>

#include "backend/backend.h"
#include "backend/capture_lock.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/thread_number.h"
#include "torch/accumulators.h"
#include "torch/modes.h"
#include "watch/compiled_work.h"
#include "watch/operators.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <c10/core/impl/VirtualGuardImpl.h>

#include <exception>
#include <utility>

namespace graphed {
using namespace impl;
namespace {

std::string prefix(const char* caller) { return std::string("graphed: ") + caller + ": "; }

// The lock of captures is not recursive.
void refuse_inside(const char* caller) {
  if (inside_capture()) {
    throw CaptureError(prefix(caller) + "this thread is inside a capture already");
  }
  if (inside_hook()) {
    throw Error(prefix(caller) + "not inside a hook");
  }
  if (inside_log_handler()) {
    throw Error(prefix(caller) + "not inside a log handler");
  }
}

// Members in the order of their making; unless it ended, its death puts everything back.
struct capture_under_way {
  capture_under_way(const char* caller, backend& implementation, pool& memory, c10::Device device, CaptureErrorMode error_mode,
                    std::optional<c10::Stream> stream)
      : lock(prefix(caller)), lane(memory.order().lane(capture_lane::with_backwards)) {
    if (!lane) {
      throw CaptureError(prefix(caller) + waited_in_vain("backward") + see(pages::streams_and_threads));
    }
    work = implementation.begin_capture(
        {device, memory, seen, error_mode, stream, capture_lane::with_backwards, /*branches=*/1, /*standalone=*/true});
    if (!device.is_cpu()) {
      accumulators.emplace(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
      seen->move_accumulators_to(*accumulators);
    }
    work->begin();
    compiled = compiled_work::watch(*seen, device, {});
    watching.emplace(seen);
  }
  capture_under_way& operator=(capture_under_way&&) = delete;

  std::unique_ptr<captured_graph> end() {
    watching.reset();
    seen->check_complete();
    if (const std::string objection = compiled ? compiled->objection({}) : ""; !objection.empty()) {
      throw CaptureError(objection);
    }
    return work->end();
  }

  const uint64_t thread = thread_number();
  const capture_lock lock;
  const lane_lock lane;
  const std::shared_ptr<recording> seen = std::make_shared<recording>(recording::purpose::capture, /*host_tensors_allowed=*/true);
  const no_cached_casts forget;
  std::optional<accumulators_on_stream> accumulators;  ///< a living graph of the caller's has made some on another stream
  std::shared_ptr<compiled_work> compiled;
  std::unique_ptr<open_capture> work;
  std::optional<recording_scope> watching;
};

}  // namespace

struct Graph::state {
  state(found_backend where, bool keep_graph) : where(where), keep_graph(keep_graph) {}

  void reset() noexcept {
    open.reset();
    captured.reset();
    counts.reset();
    pool = {};
  }
  const captured_graph& require_captured(const char* caller) const {
    if (!captured) {
      throw Error(prefix(caller) + (counts ? "the graph was instantiated, and made without keep_graph" : "nothing was captured"));
    }
    return *captured;
  }

  const found_backend where;
  const bool keep_graph;
  PoolHandle pool;
  std::optional<capture_under_way> open;
  std::unique_ptr<captured_graph> captured;
  std::optional<std::map<std::string, std::size_t>> counts;  // none: nothing was captured
};

Graph::Graph(c10::Device device, bool keep_graph) : state_(std::make_unique<state>(find_backend(device), keep_graph)) {}

static void warn_of_open_capture(const char* what) noexcept {
  try {
    warn(std::string("graphed: a Graph was ") + what + " on another thread than the one that captures: that capture stays open");
  } catch (...) {  // a warning handler of the user's that throws
  }
}

Graph::~Graph() {
  if (!capturing()) {
    return;
  }
  if (is_thread_over()) {
    static_cast<void>(state_.release());
    return;
  }
  if (state_->open->thread == thread_number()) {
    return;
  }
  static_cast<void>(state_.release());  // its guards belong to the other thread
  warn_of_open_capture("destroyed");
}

Graph::Graph(Graph&&) noexcept = default;

Graph& Graph::operator=(Graph&& other) noexcept {
  if (this != &other) {
    const Graph dropped(std::move(*this));
    state_ = std::move(other.state_);
  }
  return *this;
}

Graph::state& Graph::require_state(const char* caller) const {
  if (!state_) {
    throw Error(prefix(caller) + "the Graph was moved from: use the one that it was moved to");
  }
  return *state_;
}

c10::Device Graph::device() const { return require_state("Graph::device").where.device; }

bool Graph::capturing() const noexcept { return state_ && state_->open; }

void Graph::capture_begin(PoolHandle pool, CaptureErrorMode error_mode) {
  const c10::Device device = require_state("Graph::capture_begin").where.device;
  std::optional<c10::Stream> current;
  if (!device.is_cpu()) {
    current = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  }
  begin(current, std::move(pool), error_mode);
}

void Graph::begin(std::optional<c10::Stream> stream, PoolHandle pool, CaptureErrorMode error_mode) {
  constexpr const char* caller = "Graph::capture_begin";
  auto& [implementation, device] = require_state(caller).where;
  if (state_->counts) {
    throw Error(prefix(caller) + "the graph has been captured already: reset() it first, or make another one");
  }
  refuse_inside(caller);
  if (stream && (device.is_cpu() || stream->device() != device)) {
    throw Error(prefix(caller) + "expected a stream of device " + device.str() + ", got one of " + stream->device().str() +
                (device.is_cpu() ? "; a CPU has no streams to choose from" : ""));
  }
  if (pool && pool.device() != device) {
    throw Error(prefix(caller) + "expected a pool on device " + device.str() + ", got one on " + pool.device().str());
  }
  if (!pool) {
    pool = graph_pool_handle(device);
  }
  state_->open.emplace(caller, implementation, *pool.pool_, device, error_mode, stream);
  state_->pool = std::move(pool);
}

void Graph::capture_end() {
  constexpr const char* caller = "Graph::capture_end";
  if (!require_state(caller).open) {
    throw Error(prefix(caller) + "no capture was begun");
  }
  if (state_->open->thread != thread_number()) {
    throw Error(prefix(caller) + "a capture ends on the thread that it began on");
  }
  const auto seen = state_->open->seen;
  try {
    state_->captured = state_->open->end();
    state_->captured->hold(seen->groups(), "graphed::Graph");
    state_->counts = state_->captured->node_counts();
  } catch (const std::exception& failure) {
    state_->reset();
    const std::string last = seen->last_operator();
    throw CaptureError(prefix(caller) + "the capture failed" + (last.empty() ? "" : "; the last operator was " + with_remedy(last)) + ": " +
                       failure.what() + see(pages::failure));
  }
  state_->open.reset();
  if (state_->counts->empty()) {
    warn("graphed: the captured graph is empty: no work reached the capture; was it on another device, stream or thread?" +
         see(pages::standalone));
  }
}

ExecutableGraph Graph::instantiate() {
  constexpr const char* caller = "Graph::instantiate";
  static_cast<void>(require_state(caller).require_captured(caller));
  refuse_inside(caller);
  const capture_lock no_captures_meanwhile(prefix(caller));
  ExecutableGraph made(state_->captured->instantiate(), state_->pool);
  if (!state_->keep_graph) {
    state_->captured.reset();
  }
  return made;
}

const std::map<std::string, std::size_t>& Graph::node_counts() const {
  constexpr const char* caller = "Graph::node_counts";
  if (!require_state(caller).counts) {
    throw Error(prefix(caller) + "nothing was captured");
  }
  return *state_->counts;
}

void Graph::debug_dump(const std::string& path) const {
  constexpr const char* caller = "Graph::debug_dump";
  require_state(caller).require_captured(caller).write_dot(path);
}

CUgraph_st* Graph::raw_cuda_graph() const {
  constexpr const char* caller = "Graph::raw_cuda_graph";
  return require_state(caller).require_captured(caller).raw();
}

PoolHandle Graph::pool() const {
  constexpr const char* caller = "Graph::pool";
  if (!require_state(caller).counts) {
    throw Error(prefix(caller) + "nothing was captured");
  }
  return state_->pool;
}

void Graph::reset() noexcept {
  if (capturing() && state_->open->thread != thread_number()) {
    warn_of_open_capture("reset");
  } else if (state_) {
    state_->reset();
  }
}

CaptureGuard::CaptureGuard(Graph& graph, const CaptureOptions& options) : graph_(graph), exceptions_(std::uncaught_exceptions()) {
  graph_.begin(options.stream, options.pool, options.error_mode);
}

CaptureGuard::~CaptureGuard() noexcept(false) {
  if (!graph_.capturing()) {
    return;  // ended or discarded by hand
  }
  if (std::uncaught_exceptions() > exceptions_) {
    graph_.reset();
  } else {
    graph_.capture_end();
  }
}

ExecutableGraph::ExecutableGraph(std::shared_ptr<executable> work, PoolHandle pool) : pool_(std::move(pool)), work_(std::move(work)) {}

const std::shared_ptr<executable>& ExecutableGraph::require_work(const char* caller) const {
  if (!work_) {
    throw Error(std::string("graphed: ExecutableGraph::") + caller + ": the object holds no graph; Graph::instantiate() makes one");
  }
  return work_;
}

void ExecutableGraph::replay() {
  const std::shared_ptr<executable> work = require_work("replay");  // a host part may reset the object
  if (is_current_stream_capturing(pool_.device())) {
    throw Error("graphed: ExecutableGraph::replay: not inside a capture");
  }
  try {
    work->replay();
  } catch (const changed_results& error) {
    throw Error(std::string("graphed: ExecutableGraph::replay: the replay was taken back: ") + error.what() +
                see(pages::library_operators));
  }
}

CUgraphExec_st* ExecutableGraph::raw_cuda_graph_exec() const { return require_work("raw_cuda_graph_exec")->raw(); }

bool is_current_stream_capturing(c10::Device device) {
  if (inside_capture()) {
    return true;
  }
  backend* const implementation = backend_for(device.type());
  return implementation != nullptr && implementation->capturing(device);
}

}  // namespace graphed
