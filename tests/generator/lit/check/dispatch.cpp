// SPDX-License-Identifier: Apache-2.0
//
// A virtual call comes to the bodies that the object may have: one where its class is known, else all that the unit has.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>

using torch::Tensor;

// It is unknown who gives the pointer. Overrides come in the order of the text, a template's instances among them.
namespace unknown {
struct Policy {
  virtual ~Policy() = default;
  virtual Tensor act(const Tensor& x) = 0;
};
struct Greedy : Policy {
  Tensor act(const Tensor& x) override { return x / 2; }
};
struct Clip : Policy {
  // CHECK: :[[#@LINE+3]]:55: warning: 'item' reads
  // CHECK: :[[#@LINE+2]]:10: note: 'unknown::Clip::act' overrides 'unknown::Policy::act'
  // CHECK: :[[#@LINE+14]]:{{[0-9]+}}: note: called from 'unknown::Agent::operator()' here
  Tensor act(const Tensor& x) override { return x / x.item<float>(); }
};
template <class Scale>
struct Scaled : Policy {
  // CHECK: :[[#@LINE+3]]:55: warning: 'item' reads
  // CHECK: :[[#@LINE+2]]:10: note: 'unknown::Scaled<float>::act' overrides 'unknown::Policy::act'
  // CHECK: :[[#@LINE+7]]:{{[0-9]+}}: note: called from 'unknown::Agent::operator()' here
  Tensor act(const Tensor& x) override { return x / x.item<Scale>(); }
};
Scaled<float> instance;
struct Agent {
  explicit Agent(std::unique_ptr<Policy> given) : policy(std::move(given)) {}
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) { return policy->act(x); }
  std::unique_ptr<Policy> policy;
};
}  // namespace unknown

// The unit makes the object, or the object is a variable.
namespace known {
struct Policy {
  virtual ~Policy() = default;
  virtual Tensor act(const Tensor& x) = 0;
  virtual Tensor operator()(const Tensor& x) = 0;
};
struct Safe : Policy {
  Tensor act(const Tensor& x) override { return x / 2; }
  Tensor operator()(const Tensor& x) override { return x / 2; }
};
struct Clip : Policy {
  // CHECK: :[[#@LINE+3]]:55: error: 'item' reads
  // CHECK: note: 'known::Clip::act' overrides 'known::Policy::act'
  // CHECK: note: called from 'known::Made::operator()' here
  Tensor act(const Tensor& x) override { return x / x.item<float>(); }
  // CHECK: :[[#@LINE+3]]:62: error: 'item' reads
  // CHECK: note: 'known::Clip::operator()' overrides 'known::Policy::operator()'
  // CHECK: note: called from 'known::Assigned::run' here
  Tensor operator()(const Tensor& x) override { return x / x.item<float>(); }
};
struct Made {
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) { return policy->act(x); }
  std::unique_ptr<Policy> policy = std::make_unique<Clip>();
};
struct Assigned {
  Assigned() { policy = std::make_shared<Clip>(); }
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) { return (*policy)(x); }
  std::shared_ptr<Policy> policy;
};
struct SafelyMade {
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) {
    Safe here;
    const std::unique_ptr<Policy> local(new Safe);
    return policy->act(x) + raw->act(x) + held.act(x) + here.act(x) + local->act(x) + many[0]->act(x);
  }
  SafelyMade() { many.push_back(std::make_unique<Safe>()); }
  std::unique_ptr<Policy> policy = std::make_unique<Safe>();
  Policy* raw = new Safe;
  Safe held;
  std::vector<std::unique_ptr<Policy>> many;
};
}  // namespace known

// Of two that the unit makes either may run.
namespace either {
struct Policy {
  virtual ~Policy() = default;
  virtual Tensor act(const Tensor& x) = 0;
};
struct Safe : Policy {
  Tensor act(const Tensor& x) override { return x; }
};
struct Clip : Policy {
  // CHECK: :[[#@LINE+3]]:55: warning: 'item' reads
  // CHECK: note: 'either::Clip::act' overrides 'either::Policy::act'
  // CHECK: note: called from 'either::Agent::operator()' here
  Tensor act(const Tensor& x) override { return x / x.item<float>(); }
};
struct Unmade : Policy {
  Tensor act(const Tensor& x) override { return x / x.item<float>(); }
};
struct Agent {
  explicit Agent(bool safe) {
    if (safe) {
      policy = std::make_unique<Safe>();
    } else {
      policy.reset(new Clip);
    }
  }
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) { return policy->act(x); }
  std::unique_ptr<Policy> policy;
};
}  // namespace either

// What makes the object is in parentheses, under a temporary.
namespace parenthesized {
struct Policy {
  virtual ~Policy() = default;
  virtual Tensor act(const Tensor& x) = 0;
};
struct Safe : Policy {
  Tensor act(const Tensor& x) override { return x; }
};
struct Unmade : Policy {
  Tensor act(const Tensor& x) override { return x / x.item<float>(); }
};
struct Agent {
  GRAPHED(x: f32[8])
  Tensor operator()(const Tensor& x) { return policy->act(x); }
  std::unique_ptr<Policy> policy{(std::make_unique<Safe>())};
};
}  // namespace parenthesized

// A method of a base calls what derived classes define.
struct Env {
  virtual ~Env() = default;
  virtual Tensor reward(const Tensor& x) const = 0;
  GRAPHED(x: f32[8])
  Tensor step(const Tensor& x) const { return reward(x) / 2; }
};
struct Cart : Env {
  // CHECK: :[[#@LINE+3]]:64: warning: 'item' reads
  // CHECK: note: 'Cart::reward' overrides 'Env::reward'
  // CHECK: note: called from 'Env::step' here
  Tensor reward(const Tensor& x) const override { return x / x.item<float>(); }
};

// `this` is what the call was made on: neither a sibling nor a derived class where the object is known.
namespace object {
struct Base {
  virtual ~Base() = default;
  virtual Tensor part(const Tensor& x) const { return x; }
  Tensor whole(const Tensor& x) const { return [&] { return part(x); }(); }
};
struct Sibling : Base {
  Tensor part(const Tensor& x) const override { return x / x.item<float>(); }
};
struct Mine : Base {
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) const { return whole(x); }
};
struct User {
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) const { return base.whole(x); }
  Base base;
};
struct Last final : Base {
  // CHECK: :[[#@LINE+5]]:62: error: 'item' reads
  // CHECK: note: 'object::Last::part' overrides 'object::Base::part'
  // CHECK: note: called from 'object::Base::whole(const Tensor &)::(lambda)::operator()' here
  // CHECK: note: called from 'object::Base::whole' here
  // CHECK: note: called from 'object::Last::run' here
  Tensor part(const Tensor& x) const override { return x / x.item<float>(); }
  GRAPHED(x: f32[8])
  Tensor run(const Tensor& x) const { return whole(x); }
};
}  // namespace object

// LibTorch's own virtual methods are its own.
struct Net : torch::nn::Module {
  void train(bool on) override { torch::zeros({1}).item<float>(); }
};
struct Trainer {
  GRAPHED(x: f32[8])
  // CHECK: :[[#@LINE+1]]:41: warning: 'train' leaves a mode behind
  Tensor run(const Tensor& x) { module->train(false); return x; }
  std::shared_ptr<torch::nn::Module> module;
};
