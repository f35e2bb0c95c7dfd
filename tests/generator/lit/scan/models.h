// SPDX-License-Identifier: Apache-2.0
//
// Models that an object or a module holds: scripts, and what AOTInductor has compiled. Each call looks at which one it is.
// RUN: graphgen --print %s %flags > %t && FileCheck %s < %t
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAIN
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <vector>

namespace torch::jit {
struct Module {
  Tensor forward(const Tensor& x);
};
}  // namespace torch::jit
namespace torch::inductor {
class AOTIModelPackageLoader {
 public:
  std::vector<Tensor> run(const std::vector<Tensor>& inputs);
};
class AOTIModelContainerRunnerCuda {
 public:
  std::vector<Tensor> run(const std::vector<Tensor>& inputs);
};
class Unrelated {};
}  // namespace torch::inductor

namespace app {

class Server {
 public:
  GRAPHED(x: f32[2])
  torch::Tensor answer(const torch::Tensor& x) {
    use(unrelated);
    return compiled->run({script.forward(x)})[0] + runners[0]->run({x})[0];
  }

 private:
  static void use(const torch::inductor::Unrelated&) {}
  torch::jit::Module script;
  std::shared_ptr<torch::inductor::AOTIModelPackageLoader> compiled;
  std::vector<std::unique_ptr<torch::inductor::AOTIModelContainerRunnerCuda>> runners;
  torch::inductor::Unrelated unrelated;
  torch::jit::Module unnamed;
};
// CHECK-LABEL: namespace graphed::{{.*}}answer_glue
// CHECK: constexpr const char* watched_names[] = {"script", "compiled", "runners"};
// EXPLAIN-LABEL: app::Server::answer
// EXPLAIN: script {{ *}}model {{ *}}each one selects a capture, and so do a script's numbers
// EXPLAIN-NEXT: compiled {{ *}}model
// EXPLAIN-NEXT: runners {{ *}}model

// LibTorch registers neither in a module.
struct NetImpl : torch::nn::Module {
  GRAPHED(x: f32[2])
  torch::Tensor forward(const torch::Tensor& x) { return compiled->run({x * width})[0]; }

  std::unique_ptr<torch::inductor::AOTIModelPackageLoader> compiled;
  double width = 1;
};
// CHECK-LABEL: namespace graphed::{{.*}}forward_glue
// CHECK: constexpr const char* watched_names[] = {"compiled", "width"};

}  // namespace app
