// SPDX-License-Identifier: Apache-2.0
//
// An error that CUDA does not recover from, at each stage of a call: the row of docs/explanation/failure.md, each cell in a process of its
// own.
#include "support/device_test.h"
#include "support/ending.h"

#include <c10/cuda/CUDAGuard.h>

#include <graphed/error.h>

#include <thread>

namespace device_ending_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class DeviceEnding : public device_test {};
INSTANTIATE_TEST_SUITE_P(, DeviceEnding, ::testing::Values("cuda"), [](const auto& info) { return std::string(info.param); });

/// By a kernel that fails an assertion. On another thread and stream, as this one may be capturing; a wait for the device would end that.
void break_device(c10::Device device) {
  std::thread([device] {
    try {
      const c10::cuda::CUDAStreamGuard aside(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index()));
      at::ones({4}, device).index_select(0, at::full({1}, 1000, at::TensorOptions(at::kLong).device(device)));
      c10::cuda::getCurrentCUDAStream(device.index()).synchronize();
    } catch (const c10::Error&) {
    }
  }).join();
}

/// Ends the process before its tensors do: LibTorch's allocator throws, out of a destructor, where one is freed that two streams have used.
[[noreturn]] void expect_ending_of_a_broken_device(c10::Device device, stage now) {
  staged_program program(device);
  program.run_up_to(now);
  bool is_told_as_such = false;
  const auto error = error_of([&] {
    try {
      program.run(now, [&] { break_device(device); });
    } catch (const DeviceError&) {
      is_told_as_such = true;
      throw;
    }
  });
  if (now == stage::destruction) {
    expect(!error, "no error, got " + error.value_or(""));
    std::_Exit(EXIT_SUCCESS);
  }
  expect_error(error, {"device-side assert"});
  expect(is_told_as_such || !is_capture(now), "graphed::DeviceError of a capture, got " + error.value_or(""));
  expect_error(error_of([&] { program.run_calls(1); }), {"device-side assert"});
  std::_Exit(EXIT_SUCCESS);
}

TEST_P(DeviceEnding, BeforeTheCalls) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::before_the_calls)); }
TEST_P(DeviceEnding, InAWarmUp) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::warm_up)); }
TEST_P(DeviceEnding, InTheForwardsCapture) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::forward_capture)); }
TEST_P(DeviceEnding, InTheBackwardsCapture) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::backward_capture)); }
TEST_P(DeviceEnding, InTheFirstReplay) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::first_replay)); }
TEST_P(DeviceEnding, InALaterReplay) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::later_replay)); }
TEST_P(DeviceEnding, WhileArgumentsAreStaged) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::staging)); }
TEST_P(DeviceEnding, InTheBackward) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::backward)); }
TEST_P(DeviceEnding, AtTheDestruction) { EXPECT_ENDS_WELL(expect_ending_of_a_broken_device(device(), stage::destruction)); }

}  // namespace device_ending_test
