// SPDX-License-Identifier: Apache-2.0
//
// Elements of containers and caches of a class of their own that the warm-ups fill for good, and those that are filled again.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

// Elements, and what a local reference shows.
struct Elements : torch::nn::Module {
  GRAPHED(x: f32[2], n: key) void kept(const torch::Tensor& x, int n) {
    if (!tables[n].defined()) {
      tables[n] = torch::zeros({2}).to(x.device());
    }
    if (!list.at(1).defined()) {
      list.at(1) = torch::zeros({2}).to(x.device());
    }
    if (!few[n + 1].defined()) {
      few[n + 1] = torch::zeros({2}).to(x.device());
    }
    auto& slot = tables[x.size(0)];
    if (!slot.defined()) {
      slot = torch::zeros({2}).to(x.device());
    }
    auto& shown = single;
    if (!shown.defined()) {
      shown = torch::zeros({2}).to(x.device());
    }
  }
  GRAPHED(x: f32[2], on: key, name: key) torch::Tensor by(const torch::Tensor& x, bool on, const std::string& name) {
    auto& named = by_name[name];
    if (!named.defined()) {
      named = torch::zeros({2}).to(x.device());
    }
    if (!few[on ? 1 : 0].defined()) {
      few[on ? 1 : 0] = torch::zeros({2}).to(x.device());
    }
    const auto key = std::make_pair(on, static_cast<int>(x.scalar_type()));
    if (const auto found = pairs.find(key); found != pairs.end()) {
      return found->second;
    }
    return pairs.emplace(key, torch::zeros({2}).to(x.device())).first->second;
  }
  std::map<std::string, torch::Tensor> by_name;
  std::map<std::pair<bool, int>, torch::Tensor> pairs;
  // A key that changes, another element, a container that is emptied, and one of the call's own.
  GRAPHED(x: f32[2], n: key) void again(const torch::Tensor& x, int n) {
    if (!tables[turn].defined()) {
      tables[turn] = torch::zeros({2}).to(x.device());
    }
    if (!list[0].defined()) {
      // CHECK: :[[#@LINE+1]]:35: warning: 'to' copies a tensor of the host
      list[1] = torch::randn({2}).to(x.device());
    }
    auto& slot = emptied[n];
    if (!slot.defined()) {
      // CHECK: :[[#@LINE+1]]:32: warning: 'to' copies a tensor of the host
      slot = torch::randn({2}).to(x.device());
    }
    std::map<int, torch::Tensor> own;
    if (!own[n].defined()) {
      // CHECK: :[[#@LINE+1]]:34: warning: 'to' copies a tensor of the host
      own[n] = torch::randn({2}).to(x.device());
    }
  }
  void forget() {
    emptied.clear();
    ++turn;
  }
  int turn = 0;
  std::map<int, torch::Tensor> tables, emptied;
  std::vector<torch::Tensor> list;
  torch::Tensor few[8], single;
};

// A cache of a class of its own, for two callables' keys.
template <class Key>
class Cache {
 public:
  const torch::Tensor& get(const Key& key, const torch::Tensor& x) {
    auto place = held.find(key);
    if (place == held.end()) {
      place = held.emplace(key, torch::zeros({2}).to(x.device())).first;
    }
    return place->second;
  }

 private:
  std::map<Key, torch::Tensor> held;
};
struct Cached {
  GRAPHED(x: f32[2], n: key) torch::Tensor run(const torch::Tensor& x, int n) { return x + cache.get(n, x); }
  GRAPHED(x: f32[2], m: key) torch::Tensor other(const torch::Tensor& x, int m) { return x + cache.get(2 * m, x); }
  GRAPHED(x: f32[2]) torch::Tensor sized(const torch::Tensor& x) {
    if (empty.size(0) == 0) {
      empty = torch::zeros({2}).to(x.device());
    }
    return x + empty;
  }
  Cache<int> cache;
  torch::Tensor empty, full;
};
