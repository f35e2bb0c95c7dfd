// SPDX-License-Identifier: Apache-2.0
//
// Objects in others of their own class, of which calls compare the outermost, and objects in too many others.
// RUN: graphgen --print %s %flags 2>&1 >%t | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=CODE < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <vector>

namespace app {

struct Node {
  double value = 1;
  // CHECK: :[[#@LINE+1]]:9: warning: calls of 'run' do not notice a change of 'root.next': of objects of one class in each other
  Node* next = nullptr;
};
struct List {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    double sum = 0;
    for (Node* each = &root; each; each = each->next) {
      sum += each->value;
    }
    return x * sum;
  }
  Node root;
};
// CODE: constexpr const char* watched_names[] = {"root.value", "root.next"};

struct BlockImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return inner.empty() ? x * gain : inner[0]->forward(x); }
  // CHECK: :[[#@LINE+1]]:43: warning: calls of 'run' do not notice a change of 'block.inner': of objects of one class in each other
  std::vector<std::shared_ptr<BlockImpl>> inner;
  double gain = 1;
};
struct Blocks {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) { return block.forward(x); }
  BlockImpl block;
};

// Where nothing can change that calls do not look at.
struct PlainImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return inner ? inner->forward(x) : x * weight * fixed; }
  std::shared_ptr<PlainImpl> inner;
  torch::Tensor weight;  // a parameter
  const double fixed = 1;
  double unread = 1;
};
struct Written {
  double value = 1;
  Written* peer = nullptr;
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    peer->value = 2;
    return x * value;
  }
};
struct Model;
struct Layer {
  double times() const;
  Model* model = nullptr;  // that holds it, or another one
  double gain = 1;
};
struct Branch {
  double sum() const { return branches.empty() ? value : branches[0].sum(); }
  std::vector<Branch> branches;
  double value;
};
struct Model {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) { return plain.forward(x) * layer.times() * tree.sum(); }
  PlainImpl plain;
  Layer layer;
  double scale = 1;
  const Branch tree;
};
inline double Layer::times() const { return gain * model->scale; }
// CODE: "plain",
// CODE-NEXT: "plain.inner",
// CODE-NEXT: "plain.weight",
// CODE-NEXT: "layer.model.plain.weight",
// CODE-NEXT: "layer.model.scale",
// CODE-NEXT: "layer.gain",
// CODE-NEXT: "scale"};

template <int Depth>
struct Nested {
  double sum() const { return value + inner.sum(); }
  Nested<Depth - 1> inner;
  double value = 1;
};
template <>
struct Nested<0> {
  double sum() const { return value; }
  double value = 1;
};
struct Deep {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) { return x * nested.sum() * most.sum(); }
  // CHECK: :[[#@LINE-11]]:21: warning: calls of 'run' do not notice a change of 'nested{{(.inner)+}}': it is in too many objects
  Nested<7> nested;
  Nested<6> most;
};

}  // namespace app
