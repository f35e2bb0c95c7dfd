// SPDX-License-Identifier: Apache-2.0
//
// Structs and containers that cannot be flattened.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <map>

struct Secret {
  torch::Tensor x;

 private:
  int count;
};
struct Virtual {
  virtual ~Virtual();
  torch::Tensor x;
};
struct Unique {
  torch::Tensor x;
  Unique(const Unique&) = delete;
};
struct Tree {
  torch::Tensor x;
  std::vector<Tree> children;
};
struct Pointing {
  torch::Tensor x;
  int* where;
  const torch::Tensor fixed;
  std::map<std::string, int> sizes;
  at::TensorList list;
};
struct Forward;
struct Hidden : private Secret {};
struct Left {
  torch::Tensor x;
};
struct Both : Left {
  torch::Tensor x;
};
union Either {
  int a;
  float b;
};

// CHECK: :[[#@LINE+10]]:28: error: parameter 'secret' has type 'const Secret &', which has members that are not public: a capture would freeze them [graphed-parameter-type]
// CHECK: :[[#@LINE+9]]:51: error: parameter 'v' has type 'const Virtual &', which has virtual methods: its copy in a capture would lose what a derived class adds [graphed-parameter-type]
// CHECK: error: parameter 'unique' has type 'const Unique &', which cannot be copied [graphed-parameter-type]
// CHECK: error: member 'tree.children[...]' of parameter 'tree' has type 'Tree', which contains itself [graphed-parameter-type]
// CHECK: :26:21: note: 'children' is declared here
// CHECK: error: parameter 'f' has type 'const Forward &', which is not defined here [graphed-parameter-type]
// CHECK: error: parameter 'hidden' has type 'const Hidden &', which has a virtual base, or one that is not public [graphed-parameter-type]
// CHECK: error: parameter 'both' has type 'Both', which has two members called 'x' [graphed-parameter-type]
// CHECK: error: parameter 'either' has type 'Either', which is a union [graphed-parameter-type]
GRAPHED(secret: {x: f32[2]}, v: {x: f32[2]}, unique: {x: f32[2]}, tree: {x: f32[2]}, f: {x: f32[2]}, hidden: {x: f32[2]})
void structs(const Secret& secret, const Virtual& v, const Unique& unique, const Tree& tree, const Forward& f,
             const Hidden& hidden, Both both, Either either);

// CHECK: error: member 'p.where' of parameter 'p' has type 'int *', which is not supported yet [graphed-parameter-type]
// CHECK: :30:8: note: 'where' is declared here
// CHECK: error: member 'p.fixed' of parameter 'p' has type 'const torch::Tensor': a reference or a const value cannot be given another tensor [graphed-parameter-type]
// CHECK: error: member 'p.sizes[...]' of parameter 'p' has type 'int' inside a list, map or optional: each call decides how many of them there are, so none can be marked 'key', 'const' or 'live'; a std::array, a struct or a parameter of its own can hold it [graphed-parameter-type]
// CHECK: error: member 'p.list' of parameter 'p' has type 'at::TensorList', which does not own its elements [graphed-parameter-type]
GRAPHED()
void members(const Pointing& p);

// CHECK: error: parameter 'm' has type 'std::map<int, torch::Tensor>', whose keys are not strings [graphed-parameter-type]
// CHECK: error: parameter 'oo' has type 'std::optional<std::optional<torch::Tensor>>', which is not supported yet [graphed-parameter-type]
GRAPHED()
void containers(std::map<int, torch::Tensor> m, std::optional<std::optional<torch::Tensor>> oo);

// CHECK: error: member 'n[...][1]' of parameter 'n' has type 'int64_t' inside a list, map or optional{{.*}} [graphed-parameter-type]
// CHECK: error: member 'n[...][2]' of parameter 'n' has type 'uint64_t' inside a list, map or optional{{.*}} [graphed-parameter-type]
GRAPHED()
void numbers(const std::vector<std::tuple<torch::Tensor, int64_t, uint64_t>>& n);

template <int N>
struct Endless {
  Endless<N + 1> inner;
};
template <int N>
struct Doubling {
  Doubling<N - 1> left, right;
};
template <>
struct Doubling<0> {
  torch::Tensor x;
};
// CHECK: error: member 'e.inner.inner{{[.a-z]+}}' of parameter 'e' has type 'Endless<63 + 1>', which nests deeper than 64 levels [graphed-parameter-type]
// CHECK: error: member 'd.left{{[.a-z]+}}' of parameter 'd' is one more than the 4096 members that a parameter can have in all [graphed-parameter-type]
GRAPHED()
void large(const Endless<0>& e, const Doubling<40>& d);

// CHECK: error: member '[1]' of the result has type 'std::vector<bool>', whose elements have no addresses: return a tensor of them [graphed-result-type]
GRAPHED()
std::tuple<torch::Tensor, std::vector<bool>> counted();
struct Step {
  torch::Tensor x;
  std::string what;
};
// CHECK: error: member 'what' of the result has type 'std::string', which is neither a tensor nor a number that is read of one: a replay would give the captured value; return the tensors that it is made of, and make it after the call [graphed-result-type]
// CHECK: note: 'what' is declared here
GRAPHED()
Step step();
// CHECK: error: the result has type 'at::TensorList', which does not own its elements [graphed-result-type]
GRAPHED()
at::TensorList borrowed();
