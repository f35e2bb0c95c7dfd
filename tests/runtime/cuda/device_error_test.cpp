// SPDX-License-Identifier: Apache-2.0
//
// An error that CUDA does not recover from, in a process of its own.
#include "../support/test_callable.h"
#include "support.h"

#include <graphed/error.h>

#include <cstdlib>
#include <iostream>

namespace graphed::testing {
namespace device_error_test {

constexpr int told_apart = 42;

[[noreturn]] void meet_a_broken_device() {
  test_callable f({{"x", {4}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; }, {1});
  const auto x = at::ones({4}, device());
  f({x}, {});
  try {
    x.index_select(0, at::full({1}, 1000, at::TensorOptions(at::kLong).device(device())));  // asserts on the device
    synchronize();
  } catch (const c10::Error&) {
  }
  try {
    f({x}, {});
  } catch (const DeviceError& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(told_apart);
  } catch (const std::exception& error) {
    std::cerr << "another type of exception: " << error.what() << std::endl;
  }
  std::_Exit(1);
}

using cuda_device_error = cuda_test;

TEST_F(cuda_device_error, is_told_apart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(meet_a_broken_device(), ::testing::ExitedWithCode(told_apart), "can no longer be used by this process: device-side assert");
}

}  // namespace device_error_test
}  // namespace graphed::testing
