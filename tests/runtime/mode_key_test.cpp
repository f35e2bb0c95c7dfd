// SPDX-License-Identifier: Apache-2.0
#include "torch/modes.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

std::string key_of_now(c10::Device device = c10::kCPU) {
  key_bytes key;
  append_mode_key(key, device);
  return {key.begin(), key.end()};
}

using setting = std::pair<const char*, std::function<void(bool)>>;

// Each set to what it is by default, then not.
std::vector<setting> all_settings() {
  static at::Context& context = at::globalContext();
  return {
      {"cuDNN", [](bool other) { context.setUserEnabledCuDNN(!other); }},
      {"cuDNN, deterministic", [](bool other) { context.setDeterministicCuDNN(other); }},
      {"cuDNN, benchmark", [](bool other) { context.setBenchmarkCuDNN(other); }},
      {"MKLDNN", [](bool other) { context.setUserEnabledMkldnn(!other); }},
      {"MKLDNN, deterministic", [](bool other) { context.setDeterministicMkldnn(other); }},
      {"deterministic algorithms", [](bool other) { context.setDeterministicAlgorithms(other, /*warn_only=*/false); }},
      {"deterministic fill", [](bool other) { context.setDeterministicFillUninitializedMemory(!other); }},
      {"flash attention", [](bool other) { context.setSDPUseFlash(!other); }},
      {"memory-efficient attention", [](bool other) { context.setSDPUseMemEfficient(!other); }},
      {"attention by its formula", [](bool other) { context.setSDPUseMath(!other); }},
      {"cuDNN's attention", [](bool other) { context.setSDPUseCuDNN(!other); }},
      {"attention of others", [](bool other) { context.setSDPUseOverrideable(!other); }},
      {"order of attentions", [](bool other) { context.setSDPPriorityOrder({other ? 2 : 1, 1, 0, 3, 4}); }},
      {"half sums in attention", [](bool other) { context.setAllowFP16BF16ReductionMathSDP(other); }},
      {"half sums in cuBLAS", [](bool other) { context.setAllowFP16ReductionCuBLAS(!other); }},
      {"bfloat16 sums in cuBLAS", [](bool other) { context.setAllowBF16ReductionCuBLAS(!other); }},
      {"half accumulation in cuBLAS", [](bool other) { context.setAllowFP16AccumulationCuBLAS(other); }},
      {"TF32 of matrix products",
       [](bool other) {
         context.setFloat32Precision(at::Float32Backend::CUDA, at::Float32Op::MATMUL,
                                     other ? at::Float32Precision::TF32 : at::Float32Precision::NONE);
       }},
  };
}

TEST(ModeKey, EachSettingSelectsAnotherKey) {
  for (const auto& [name, set] : all_settings()) {
    set(false);
    const std::string usual = key_of_now();
    set(true);
    EXPECT_NE(key_of_now(), usual) << name;
    set(false);
    EXPECT_EQ(key_of_now(), usual) << name;
  }
}

// What chooses a library for a process is its first matrix product.
TEST(ModeKey, OfTheFirstCallIsThatOfLaterOnes) {
  at::globalContext().setBlasPreferredBackend(at::BlasBackend::Default);
  const c10::Device device(c10::kCUDA, 0);
  const std::string first = key_of_now(device);
  at::globalContext().blasPreferredBackend();
  EXPECT_EQ(key_of_now(device), first);
}

}  // namespace
}  // namespace graphed::impl
