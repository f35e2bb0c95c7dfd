// SPDX-License-Identifier: Apache-2.0
//
// Capture and replay for CPU tensors: a capture is the call itself, recorded.
#include "backend.h"
#include "random_state.h"
#include "tape/tape.h"

#include <cstring>

namespace graphed {
namespace {

class tape_pool : public pool {
 public:
  uint64_t bytes() const override { return bytes_; }
  void add(uint64_t bytes) { bytes_ += bytes; }

 private:
  uint64_t bytes_ = 0;
};

class tape_executable : public executable {
 public:
  explicit tape_executable(std::shared_ptr<tape> tape) : tape_(std::move(tape)) {}
  void replay() override { tape_->replay(); }
  void pin(at::TensorList tensors) override { tape_->pin(tensors); }

 private:
  std::shared_ptr<tape> tape_;
};

class same_stream : public stream_scope {
 public:
  void hand_over(const at::Tensor& /*tensor*/) override {}
};

class tape_backend : public backend {
 public:
  bool capture_executes() const override { return true; }
  std::size_t alignment() const override { return 64; }  // what LibTorch's CPU allocator gives
  bool capturing(c10::Device /*device*/) const override { return false; }
  std::unique_ptr<pool> make_pool(c10::Device /*device*/) override { return std::make_unique<tape_pool>(); }
  std::shared_ptr<recording> make_recording(bool /*host_tensors_allowed*/) const override { return std::make_shared<tape>(); }
  void copy_bytes(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  std::unique_ptr<stream_scope> enter_side_stream(c10::Device /*device*/) override { return std::make_unique<same_stream>(); }

  std::unique_ptr<executable> capture(c10::Device /*device*/, pool& pool, const std::shared_ptr<recording>& seen,
                                      c10::function_ref<void()> body) override {
    auto recorded = std::static_pointer_cast<tape>(seen);
    const auto state = random_state(c10::kCPU);
    try {
      body();
      static_cast<tape_pool&>(pool).add(recorded->bytes());
    } catch (...) {
      recorded->undo_writes();
      set_random_state(c10::kCPU, state);
      throw;
    }
    return std::make_unique<tape_executable>(std::move(recorded));
  }
};

[[maybe_unused]] const bool registered = [] {
  static tape_backend instance;
  register_backend(c10::DeviceType::CPU, &instance);
  return true;
}();

}  // namespace
}  // namespace graphed
