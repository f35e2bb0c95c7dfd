// SPDX-License-Identifier: Apache-2.0
//
// Modules that Python has exported, of the inference workloads: what a compiled model takes alone, in a graph by hand, and graphed.
#pragma once

#include "workload.h"

#include <graphed/annotate.h>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

namespace benchmarks {

/// What python/export.py has written to the folder that GRAPHED_BENCHMARK_MODELS names: of each workload NAME.pt2, the workload NAME-aoti,
/// and NAME.pt, NAME-script.
std::vector<entry> model_workloads();

/// AOTInductor's.
class CompiledModel {
 public:
  explicit CompiledModel(const std::string& package) : loader_(package, "model", /*run_single_threaded=*/true) {}

  GRAPHED(x: f32[1024])
  GRAPHED(x: f32[64, 256])
  GRAPHED(x: f32[1, 17])
  GRAPHED(x: f32[256, 17])
  GRAPHED(x: f32[1, 3, 224, 224])
  GRAPHED(x: f32[128, 8, 512])
  Tensor forward(const Tensor& x) { return loader_.run({x})[0]; }
  GRAPHED(xs: f32[64, 32] * 8)
  GRAPHED(xs: f32[64, 8] * 32)
  Tensor of_many(const std::vector<Tensor>& xs) { return loader_.run(xs)[0]; }

 private:
  torch::inductor::AOTIModelPackageLoader loader_;
};

/// Frozen TorchScript, after it has optimized what it profiled.
class Script {
 public:
  Script(const std::string& file, const tensor_list& inputs);

  GRAPHED(x: f32[1024])
  GRAPHED(x: f32[64, 256])
  GRAPHED(x: f32[1, 17])
  GRAPHED(x: f32[256, 17])
  GRAPHED(x: f32[1, 3, 224, 224])
  GRAPHED(x: f32[128, 8, 512])
  Tensor forward(const Tensor& x) { return module_.forward({x}).toTensor(); }
  GRAPHED(xs: f32[64, 32] * 8)
  GRAPHED(xs: f32[64, 8] * 32)
  Tensor of_many(const std::vector<Tensor>& xs) { return module_.forward({xs.begin(), xs.end()}).toTensor(); }

 private:
  torch::jit::Module module_;
};

}  // namespace benchmarks
