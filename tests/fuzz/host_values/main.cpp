// SPDX-License-Identifier: Apache-2.0
//
// `host_values [--device cpu|cuda] [--seed SEED | --part NUMBER/PARTS] [--all]`
//
// Runs the random programs that host_values.py made, or the one of a seed, or a part of them, beside which others can run the others. What
// eager and the graphed callable give is compared bit for bit, after each change of a host value. A difference is printed if neither
// graphgen nor the runtime has reported the value; with --all, the others too. The exit code is 0 if there is none, 1 if there is one or
// too few replays to show one, and 2 for wrong usage.
#include "play.h"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

int main(int count, char** words) {
  bool says_all = false;
  uint64_t seed = 0, part = 0, parts = 1;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view next = i + 1 < count ? words[i + 1] : "";
    if (word == "--all") {
      says_all = true;
    } else if (word == "--device" && (next == "cpu" || next == "cuda")) {
      values::device = next == "cpu" ? c10::Device(at::kCPU) : c10::Device(at::kCUDA, 0);
      ++i;
    } else if (word == "--seed" && std::strtoull(next.data(), nullptr, 10) > 0) {
      seed = std::strtoull(next.data(), nullptr, 10);
      ++i;
    } else if (word == "--part" && std::sscanf(next.data(), "%" SCNu64 "/%" SCNu64, &part, &parts) == 2 && part < parts) {
      ++i;
    } else {
      std::cerr << "usage: host_values [--device cpu|cuda] [--seed SEED | --part NUMBER/PARTS] [--all]\n";
      return 2;
    }
  }
  if (values::device.is_cuda() && !torch::cuda::is_available()) {
    std::cout << "there is no GPU\n";
    return 0;
  }
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  hunt::player player(says_all);
  for (const auto& program : hunt::entries()) {
    if (seed == 0 ? program.seed % parts == part : program.seed == seed) {
      program.play(player);
    }
  }
  return player.conclude() ? 0 : 1;
}
