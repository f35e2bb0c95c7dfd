// SPDX-License-Identifier: Apache-2.0
//
// Capture and replay for CPU tensors: a capture is the call itself, recorded.
#include "backend/backend.h"
#include "backend/tape/composite_watch.h"
#include "backend/tape/tape.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <atomic>
#include <fstream>
#include <utility>

namespace graphed::impl {
namespace {

// A CPU's memory has no private pools: what captures made counts, for as long as they live.
class tape_pool : public pool {
 public:
  uint64_t bytes() const override { return *held_; }
  std::shared_ptr<void> route_this_thread() override { return nullptr; }
  pool_order& order() override {
    static auto& of_all = *new pool_order;
    return of_all;
  }

  /// Bytes that count until the result dies.
  std::shared_ptr<void> add(uint64_t bytes) {
    *held_ += bytes;
    return {nullptr, [held = held_, bytes](void*) { *held -= bytes; }};
  }

 private:
  std::shared_ptr<std::atomic<uint64_t>> held_ = std::make_shared<std::atomic<uint64_t>>(0);
};

class tape_executable final : public executable {
 public:
  tape_executable(graph_identity identity, std::shared_ptr<tape> tape) : executable(identity), tape_(std::move(tape)) {}
  void pin(at::TensorList tensors) override { tape_->pin(tensors); }
  std::size_t host_parts() const override { return tape_->host_parts(); }
  bool may_change_results() const override { return tape_->may_change_results(); }
  std::unordered_map<const c10::StorageImpl*, std::size_t> held_memory() const override { return tape_->held_memory(); }
  void time_operators() override { tape_->time_operators(); }
  std::vector<operator_time> operator_times() const override { return tape_->operator_times(); }

 private:
  void run() override {
    if (host_parts() != 0) {
      const replay_turns::turn alone(turns(), number());
      run_now();
    } else {
      turns().wait(number());  // as on a GPU, although tapes share no memory
      run_now();
    }
  }

  void run_now() {
    note_begun();
    tape_->replay(turns());
  }

  std::shared_ptr<tape> tape_;
};

class tape_graph final : public captured_graph {
 public:
  tape_graph(graph_identity identity, std::shared_ptr<tape> tape) : captured_graph(identity), tape_(std::move(tape)) {}

  std::map<std::string, std::size_t> node_counts() const override { return tape_->operator_counts(); }
  void write_dot(const std::string& path) const override {
    std::ofstream file(path);
    tape_->write_dot(file);
    file.close();
    if (!file) {
      throw Error("graphed: the graph could not be written to '" + path + "'");
    }
  }

 private:
  std::unique_ptr<executable> make_executable() override { return std::make_unique<tape_executable>(identity(), tape_); }

  std::shared_ptr<tape> tape_;
};

class tape_capture final : public open_capture, private flow_capture {
 public:
  explicit tape_capture(const capture_request& request)
      : open_capture(request.device, request.memory.turns()),
        memory_(static_cast<tape_pool&>(request.memory)),
        seen_(request.seen),
        undo_(request.standalone) {
    require_operators_met();
    seen_->watch_random_numbers(c10::kCPU);
    seen_->add_recorder(composites_);
    seen_->add_recorder(tape_);
    seen_->hold_flow(*this);
  }

  ~tape_capture() override {
    if (!has_ended()) {
      undo();
    }
  }

 private:
  void choose(const flow_choice& what, c10::ArrayRef<flow_body> bodies) override {
    tape_->choose(what, bodies);
    composites_->look_again();
  }

  std::unique_ptr<captured_graph> finish() override {
    seen_->check_complete();
    composites_->check();
    if (undo_) {
      undo();
      tape_->pin_results();
    }
    tape_->settle();
    tape_->hold(memory_.add(tape_->bytes()));
    return std::make_unique<tape_graph>(identity(), tape_);
  }

  void undo() {
    seen_->put_back_random_numbers();
    tape_->undo();
  }

  tape_pool& memory_;
  const std::shared_ptr<recording> seen_;
  const std::shared_ptr<tape> tape_ = std::make_shared<tape>(seen_->outside());
  const composite_scope knows_composites_;
  const std::shared_ptr<composite_watch> composites_ = std::make_shared<composite_watch>();
  const bool undo_;
};

class backend_of_tapes final : public backend {
 public:
  device_words describe(c10::Device /*device*/) const override { return {"CPU", ""}; }
  bool capture_executes() const override { return true; }
  std::size_t alignment() const override { return 64; }  // what LibTorch's CPU allocator gives
  std::unique_ptr<pool> make_pool(c10::Device /*device*/) override { return std::make_unique<tape_pool>(); }
  std::unique_ptr<open_capture> begin_capture(const capture_request& request) override { return std::make_unique<tape_capture>(request); }
};

}  // namespace

backend& tape_backend() {
  static auto& instance = *new backend_of_tapes;
  return instance;
}

}  // namespace graphed::impl
