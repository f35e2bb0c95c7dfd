// SPDX-License-Identifier: Apache-2.0
//
// Modules that are found among others: elements of containers, and what children() gives.
// RUN: not graphgen --check --diagnostics-format=json %s %flags -fno-caret-diagnostics | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>

using torch::Tensor;
using torch::nn::BatchNorm1d;
using torch::nn::BatchNorm1dImpl;
using torch::nn::BatchNorm1dOptions;
using torch::nn::ModuleDict;
using torch::nn::ModuleList;
using torch::nn::ReLU;
using torch::nn::ReLUOptions;
using torch::nn::Sequential;

// The program's own.
struct BlockImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) {
    // CHECK: found-modules.cpp:[[#@LINE+2]]:10: warning: the member 'last' is assigned at the capture only
    // CHECK: note: called from 'NetImpl::all' here
    last = x + x;
    return x;
  }
  Tensor last;
};
TORCH_MODULE(Block);
struct ChosenImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) {
    // CHECK: :[[#@LINE+2]]:24: error: 'item' reads
    // CHECK: note: called from 'NetImpl::chosen' here
    return x / x.sum().item<float>();
  }
};
TORCH_MODULE(Chosen);
struct ChildImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) {
    // CHECK: :[[#@LINE+2]]:10: warning: the member 'last' is assigned at the capture only
    // CHECK: note: called from 'NetImpl::child' here
    last = x + x;
    return x;
  }
  Tensor last;
};
TORCH_MODULE(Child);
struct LayerImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) {
    // CHECK: :[[#@LINE+2]]:24: warning: 'item' reads
    // CHECK: note: called from 'NetImpl::layer' here
    return x / x.sum().item<float>();
  }
};
TORCH_MODULE(Layer);

struct StageImpl : torch::nn::Module {
  Tensor forward(const Tensor& x) {
    // CHECK: :[[#@LINE+2]]:24: warning: 'item' reads
    // CHECK: note: called from 'NetImpl::stages' here
    return x / x.sum().item<float>();
  }
};
TORCH_MODULE(Stage);
Sequential make_stage(int count) {
  Sequential stage;
  for (int i = 0; i < count; ++i) {
    stage->push_back(Stage());
  }
  return stage;
}

struct NetImpl : torch::nn::Module {
  NetImpl() {
    layers->push_back(Block());
    layers->push_back(BatchNorm1d(BatchNorm1dOptions(8).momentum(std::nullopt)));
    layers->push_back(ReLU(ReLUOptions(true)));
    assigned = register_module("assigned", ModuleList(BatchNorm1d(BatchNorm1dOptions(8).momentum(std::nullopt))));
  }
  GRAPHED(x: f32[2, 8]) Tensor all(Tensor x) {
    for (const auto& module : *layers) {
      x = module->as<Block>()->forward(x);
    }
    return x;
  }
  GRAPHED(x: f32[2, 8]) Tensor chosen(const Tensor& x) { return layers[0]->as<Chosen>()->forward(x); }
  GRAPHED(x: f32[2, 8]) Tensor child(const Tensor& x) {
    for (const auto& module : children()) {
      if (const auto child = std::dynamic_pointer_cast<ChildImpl>(module)) {
        child->forward(x);
      }
    }
    return x;
  }
  GRAPHED(x: f32[2, 8]) Tensor layer(Tensor x) {
    for (auto& each : *chain) {
      // CHECK: :[[#@LINE+2]]:16: warning: batch normalisation with a cumulative average
      // CHECK: note: the average is chosen here
      x = each.forward(x);
    }
    return x;
  }

  // A Sequential that a function makes, alone and in a list.
  GRAPHED(x: f32[2, 8]) Tensor stages(Tensor x) {
    x = made->forward(x);
    for (const auto& each : *listed) {
      x = each->as<Sequential>()->forward(x);
    }
    return x;
  }

  // LibTorch's, by what they are made of.
  GRAPHED(x: f32[2, 8]) void norms(const Tensor& x) {
    for (const auto& module : *layers) {
      if (auto* norm = module->as<BatchNorm1d>()) {
        // CHECK: :[[#@LINE+2]]:15: warning: batch normalisation with
        // CHECK: :[[#@LINE-42]]:57: note: the average is chosen here
        norm->forward(x);
      }
    }
    // CHECK: :[[#@LINE+2]]:38: warning: batch normalisation with
    // CHECK: :[[#@LINE-47]]:57: note: the average is chosen here
    layers->ptr<BatchNorm1dImpl>(1)->forward(x);
    // CHECK: :[[#@LINE+2]]:38: warning: batch normalisation with
    // CHECK: :[[#@LINE-48]]:89: note: the average is chosen here
    assigned->at<BatchNorm1dImpl>(0).forward(x);
    for (auto& item : named_children()) {
      if (auto* norm = item.value()->as<BatchNorm1d>()) {
        // CHECK: :[[#@LINE+2]]:15: warning: batch normalisation with
        // CHECK: note: the average is chosen here
        norm->forward(x);
      }
    }
    for (const auto& [name, module] : named->items()) {
      module->as<BatchNorm1d>()->forward(x);
    }
    for (auto& each : *chain) {
      // CHECK: :[[#@LINE+2]]:12: warning: batch normalisation with
      // CHECK: note: the average is chosen here
      each.forward(x);
    }
  }
  GRAPHED(x: f32[2, 8]) void activations(const Tensor& x) {
    for (const auto& module : *layers) {
      if (auto* activation = module->as<ReLU>()) {
        // CHECK: :[[#@LINE+1]]:21: warning: 'ReLU' may write to the argument 'x'
        activation->forward(x);
      }
    }
  }

  // Of another class, and of a container without it.
  GRAPHED(x: f32[2, 8]) void safe(const Tensor& x) {
    for (const auto& module : *layers) {
      if (auto* linear = module->as<torch::nn::Linear>()) {
        linear->forward(x);
      }
    }
    for (const auto& module : *plain) {
      module->as<BatchNorm1d>()->forward(x);
      module->as<ReLU>()->forward(x);
    }
    for (auto& each : *plain_chain) {
      each.forward(x);
    }
  }
  ModuleList layers, assigned;
  Sequential made{make_stage(2)};
  ModuleList listed{make_stage(3)};
  ModuleList plain{BatchNorm1d(BatchNorm1dOptions(8)), ReLU()};
  ModuleDict named{{{"norm", BatchNorm1d(BatchNorm1dOptions(8).momentum(std::nullopt)).ptr()}}};
  BatchNorm1d norm{BatchNorm1dOptions(8).momentum(std::nullopt)};
  Sequential chain{Layer(), BatchNorm1d(BatchNorm1dOptions(8).momentum(std::nullopt))};
  Sequential plain_chain{ReLU(), torch::nn::Linear()};
  Child child_module;
};
