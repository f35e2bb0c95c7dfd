// SPDX-License-Identifier: Apache-2.0
#include <graphed/executable.h>

#include "backend/captured_graph.h"

#include <graphed/capture.h>
#include <graphed/error.h>

#include <string>
#include <utility>

namespace graphed {

ExecutableGraph::ExecutableGraph() = default;
ExecutableGraph::~ExecutableGraph() = default;
ExecutableGraph::ExecutableGraph(ExecutableGraph&&) noexcept = default;

ExecutableGraph& ExecutableGraph::operator=(ExecutableGraph&& other) noexcept {
  if (this != &other) {
    reset();
    pool_ = std::exchange(other.pool_, {});
    work_ = std::move(other.work_);
  }
  return *this;
}

ExecutableGraph::ExecutableGraph(std::unique_ptr<executable> work, PoolHandle pool) : pool_(std::move(pool)), work_(std::move(work)) {}

executable& ExecutableGraph::require_work(const char* caller) const {
  if (!work_) {
    throw error(std::string("graphed: ExecutableGraph::") + caller + ": the object holds no graph; Graph::instantiate() makes one");
  }
  return *work_;
}

void ExecutableGraph::replay() {
  executable& work = require_work("replay");
  if (is_current_stream_capturing(pool_.device())) {
    throw error("graphed: ExecutableGraph::replay: not inside a capture");
  }
  work.replay();
}

CUgraphExec_st* ExecutableGraph::raw_cuda_graph_exec() const { return require_work("raw_cuda_graph_exec").raw(); }

void ExecutableGraph::reset() noexcept {
  work_.reset();
  pool_ = {};
}

}  // namespace graphed
