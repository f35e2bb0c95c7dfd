// SPDX-License-Identifier: Apache-2.0
//
// - `benchmarks list [DEVICE]` prints the workloads and their peers, a line of JSON each.
// - `benchmarks serve [DEVICE]` reads lines `WORKLOAD PEER[,PEER...] SECONDS`, and answers each by a line of JSON: what was measured, or
//   an error.
// - `benchmarks check [DEVICE]` checks that every peer of every workload computes what the original function does, bit for bit.
//
// DEVICE is cpu or cuda; by default cuda where there is one.
#include "check.h"
#include "json.h"
#include "peer.h"
#include "serve.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace benchmarks;

bool is_measured(const entry& entry, c10::Device device) { return entry.small || device.is_cuda(); }

int list(c10::Device device) {
  for (const entry& each : workloads()) {
    if (!is_measured(each, device)) {
      continue;
    }
    std::string peers;
    for (const std::string& peer : peers_of(each)) {
      peers += (peers.empty() ? "" : ", ") + quoted(peer);
    }
    std::cout << "{\"workload\": " << quoted(each.name) << ", \"kind\": " << quoted(to_string(each.kind)) << ", \"peers\": [" << peers
              << "]}\n";
  }
  return 0;
}

int serve(c10::Device device) {
  for (std::string request; std::getline(std::cin, request);) {
    try {
      std::cout << answer(request, device) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "{\"error\": " << quoted(error.what()) << "}" << std::endl;
    }
  }
  return 0;
}

/// Those that compute what the original function does. Large workloads would take a CPU minutes.
std::vector<std::string> checked_peers(const entry& entry, c10::Device device) {
  if (!is_measured(entry, device)) {
    return {"graphed"};
  }
  std::vector<std::string> peers;
  for (const std::string& peer : peers_of(entry)) {
    const bool repeats_random_numbers = device.is_cuda() && peer == "launch";
    if (peer != "plain" && peer != "libtorch" && peer != "without-memsets" && !repeats_random_numbers) {
      peers.push_back(peer);
    }
  }
  return peers;
}

int check(c10::Device device) {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  std::size_t compared = 0, differing = 0;
  for (const entry& each : workloads()) {
    const auto peers = checked_peers(each, device);
    const auto differences = first_differences(each, peers, device);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      if (!differences[i].empty()) {
        std::cout << each.name << ", " << peers[i] << ": " << differences[i] << std::endl;
        ++differing;
      }
    }
    compared += peers.size();
  }
  std::cout << compared << " peers compared with the original function, " << differing << " differ\n";
  return compared > 0 && differing == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string act = argc > 1 ? argv[1] : "";
  const std::string name = argc > 2 ? argv[2] : torch::cuda::is_available() ? "cuda" : "cpu";
  if (name != "cpu" && name != "cuda") {
    std::cerr << "benchmarks: '" << name << "' is neither cpu nor cuda\n";
    return 2;
  }
  const c10::Device device = name == "cpu" ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, 0);
  try {
    if (act == "list") {
      return list(device);
    }
    if (act == "serve") {
      return serve(device);
    }
    if (act == "check") {
      return check(device);
    }
  } catch (const std::exception& error) {
    std::cerr << "benchmarks: " << error.what() << '\n';
    return 1;
  }
  std::cerr << "usage: benchmarks list|serve|check [cpu|cuda]\n";
  return 2;
}
