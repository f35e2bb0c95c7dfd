// SPDX-License-Identifier: Apache-2.0
//
// What members and tables keep without its type is called as what the unit puts there.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;
using Op = std::function<Tensor(const Tensor&)>;

struct Loss {
  // CHECK: :[[#@LINE+3]]:49: warning: 'item' reads
  // CHECK: :[[#@LINE+2]]:14: note: stored in 'f' here
  // CHECK: :[[#@LINE+3]]:53: note: called from 'Loss::operator()' here
  Loss() : f([](const Tensor& x) { return x / x.item<double>(); }) {}
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) const { return f(x); }
  Op f;
};

struct Augment {
  Augment() {
    // CHECK: :[[#@LINE+3]]:54: warning: 'item' reads
    // CHECK: :[[#@LINE+2]]:19: note: stored in 'ops' here
    // CHECK: note: called from 'Augment::operator()' here
    ops.push_back([](const Tensor& x) { return x / x.item<float>(); });
    ops.emplace_back([](const Tensor& x) { return x / 2; });
    uncalled.push_back([](const Tensor& x) { return x / x.item<float>(); });
  }
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) const {
    Tensor y = x;
    for (const auto& op : ops) {
      y = op(y);
    }
    return y;
  }
  std::vector<Op> ops, uncalled;
};

Tensor doubled(const Tensor& x) { return x / 2; }
// CHECK: :[[#@LINE+3]]:53: warning: 'item' reads
// CHECK: :[[#@LINE+5]]:{{[0-9]+}}: note: stored in 'table' here
// CHECK: :[[#@LINE+6]]:70: note: called from 'activated' here
Tensor scaled(const Tensor& x) { return x / x.max().item<float>(); }
Tensor unused(const Tensor& x) { return x / x.max().item<float>(); }
using Activation = Tensor (*)(const Tensor&);
const std::map<std::string, Activation> table{{"double", doubled}, {"scale", &scaled}}, other{{"unused", unused}};
GRAPHED(x: f32[8], which: key)
Tensor activated(const Tensor& x, const std::string& which) { return table.at(which)(x); }

// From a constructor's parameter, a function that makes one, a variable, an object that can be called, one by one.
struct Scale {
  // CHECK: :[[#@LINE+3]]:59: warning: 'item' reads
  // CHECK: note: stored in 'stages' here
  // CHECK: note: called from 'Stages::run' here
  Tensor operator()(const Tensor& x) const { return x / x.item<float>(); }
};
Op made(float by) {
  // CHECK: :[[#@LINE+3]]:52: warning: 'item' reads
  // CHECK: :[[#@LINE+2]]:10: note: stored in 'stages' here
  // CHECK: note: called from 'Stages::run' here
  return [by](const Tensor& x) { return x / by / x.item<float>(); };
}
struct Stages {
  explicit Stages(Op given) : first(std::move(given)) {
    // CHECK: :[[#@LINE+3]]:59: warning: 'item' reads
    // CHECK: :[[#@LINE+2]]:24: note: stored in 'stages' here
    // CHECK: note: called from 'Stages::run' here
    const auto local = [](const Tensor& x) { return x / x.item<float>(); };
    stages["local"] = local;
    stages.emplace("scale", Scale());
    stages.insert({"made", made(2)});
  }
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) {
    Tensor y = first(x);
    for (const auto& [name, stage] : stages) {
      y = stage(y);
    }
    return y;
  }
  std::map<std::string, Op> stages;
  Op first;
};
void makes() {
  // CHECK: :[[#@LINE+3]]:62: warning: 'item' reads
  // CHECK: :[[#@LINE+2]]:23: note: stored in 'first' here
  // CHECK: note: called from 'Stages::run' here
  const Stages stages([](const Tensor& x) { return x / 2 / x.item<float>(); });
}

// A part of an aggregate; a method by its pointer; what is passed to another function.
struct Part {
  std::string name;
  Op run;
};
Tensor applied(const Op& op, const Tensor& x) { return op(x); }
struct Parts {
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) {
    Tensor y = x;
    for (const Part& part : parts) {
      y = part.run(y);
    }
    return applied(last, (this->*method)(y));
  }
  // CHECK: :[[#@LINE+3]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: note: stored in 'run' here
  // CHECK: note: called from 'Parts::run' here
  std::vector<Part> parts{Part{"a", [](const Tensor& x) { return x / x.item<float>(); }}};
  // CHECK: :[[#@LINE+3]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: note: stored in 'method' here
  // CHECK: note: called from 'Parts::run' here
  Tensor scale(const Tensor& x) { return x / x.item<float>(); }
  Tensor (Parts::*method)(const Tensor&) = &Parts::scale;
  // CHECK: :[[#@LINE+4]]:{{[0-9]+}}: warning: 'item' reads
  // CHECK: :[[#@LINE+3]]:{{[0-9]+}}: note: stored in 'last' here
  // CHECK: note: called from 'applied' here
  // CHECK: note: called from 'Parts::run' here
  Op last{[](const Tensor& x) { return x / x.item<float>(); }};
};
