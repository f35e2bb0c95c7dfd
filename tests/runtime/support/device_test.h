// SPDX-License-Identifier: Apache-2.0
//
// Tests that run on every device from one source. Where there is no GPU, those of "cuda" are skipped, and say so.
#pragma once

#include "scenario.h"
#include "warnings.h"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace graphed::testing {

class device_test : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
    if (!device().is_cpu() && !torch::cuda::is_available()) {
      GTEST_SKIP() << "there is no GPU";
    }
  }
  void TearDown() override {
    if (HasFailure() && warnings_.count() != 0) {
      std::cout << "warnings:\n" << warnings_.all();
    }
  }
  c10::Device device() const { return std::string(GetParam()) == "cpu" ? c10::Device(at::kCPU) : c10::Device(at::kCUDA, 0); }
  void expect_same(const std::function<void(scenario&)>& program) const { graphed::testing::expect_same(device(), program); }

  collected_warnings warnings_;
};

}  // namespace graphed::testing

/// The fixture `Suite`; its tests are named Suite.Test/cpu and Suite.Test/cuda.
#define GRAPHED_DEVICE_TEST_SUITE(Suite)                 \
  class Suite : public graphed::testing::device_test {}; \
  GRAPHED_INSTANTIATE_DEVICE_TESTS(Suite)
/// The same of a fixture that several files share, in one of them.
#define GRAPHED_INSTANTIATE_DEVICE_TESTS(Suite) \
  INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); })
