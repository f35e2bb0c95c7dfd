// SPDX-License-Identifier: Apache-2.0
//
// Numbers in modules of the program's that only a container of LibTorch's holds.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

struct ScaleImpl : torch::nn::Module {
  ScaleImpl() { made = 2; }
  // CHECK: frozen-modules.cpp:[[#@LINE+3]]:62: warning: 'gain' is read when the graph is captured: replays keep that value, and no call notices a change [graphed-frozen]
  // CHECK: note: declared here
  // CHECK: note: it is changed here
  torch::Tensor forward(const torch::Tensor& x) { return x * gain * made; }
  double gain = 1, made = 1;
};
TORCH_MODULE(Scale);

struct ShiftImpl : torch::nn::Module {
  // CHECK: note: called from 'Net::forward' here
  // CHECK: :[[#@LINE+3]]:62: warning: 'shift' is read when the graph is captured
  // CHECK: note: declared here
  // CHECK: note: it is changed here
  torch::Tensor forward(const torch::Tensor& x) { return x * shift; }
  double shift = 1;
};
TORCH_MODULE(Shift);

struct BendImpl : torch::nn::Module {
  // CHECK: note: called from 'Net::forward' here
  // CHECK: :[[#@LINE+3]]:62: warning: 'bend' is read when the graph is captured
  // CHECK: note: declared here
  // CHECK: note: it is changed here
  torch::Tensor forward(const torch::Tensor& x) { return x * bend; }
  double bend = 1;
};
TORCH_MODULE(Bend);

// A tensor that it has not registered, and replaces.
struct TiltImpl : torch::nn::Module {
  // CHECK: note: called from 'Net::forward' here
  // CHECK: :[[#@LINE+3]]:62: warning: 'tilt' is read when the graph is captured: replays use what it holds then
  // CHECK: note: declared here
  // CHECK: note: it is changed here
  torch::Tensor forward(const torch::Tensor& x) { return x * tilt * fixed; }
  void set(double to) { tilt = torch::ones({8}) * to; }
  torch::Tensor tilt = torch::ones({8}), fixed = torch::ones({8});
};
TORCH_MODULE(Tilt);

// What a module has registered is compared with its tensors.
struct InnerImpl : torch::nn::Module {
  InnerImpl() { inner = register_module("inner", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(const torch::Tensor& x) { return inner->forward(x); }
  torch::nn::Linear inner{nullptr};
};
TORCH_MODULE(Inner);

// A member of its own class leads calls to it.
struct KeptImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x * kept; }
  double kept = 1;
};
TORCH_MODULE(Kept);

struct Net : torch::nn::Module {
  Net() {
    layers = register_module("layers", torch::nn::Sequential(Scale(), kept, Inner(), Tilt()));
    list->push_back(Shift());
    any = torch::nn::AnyModule(Bend());
  }

  // CHECK: note: called from 'Net::forward' here
  GRAPHED(x: f32[2]) torch::Tensor forward(const torch::Tensor& x) {
    return list->at<ShiftImpl>(0).forward(any.forward(layers->forward(x)));
  }

  void set(ScaleImpl& scale, ShiftImpl& shift, BendImpl& bend) {
    scale.gain = 2;
    shift.shift = 2;
    bend.bend = 2;
    kept->kept = 2;
  }

  torch::nn::Sequential layers{nullptr};
  torch::nn::ModuleList list;
  torch::nn::AnyModule any{Bend()};
  Kept kept;
};
