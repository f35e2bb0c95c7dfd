// SPDX-License-Identifier: Apache-2.0
//
// What each call looks at in the object of a method: modules, tensors and numbers, in whatever holds them.
// RUN: graphgen --print %s %flags > %t && FileCheck %s < %t
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAIN
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace app {

torch::Tensor times(const torch::Tensor& x, double factor);

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x);
  double scale = 1;
};
struct Optimizer {
  void step();
};

struct Config {
  double gamma = 0.9;
  const int fixed = 1;
};

// Modules and tensors, and the numbers that a body reads.
struct Trainer {
  GRAPHED(x: f32[2])
  torch::Tensor learn(const torch::Tensor& x) {
    model.forward(x);
    optimizer.step();
    return helped(x);
  }
  torch::Tensor helped(const torch::Tensor& x) {
    const auto& shown = config;
    const auto scaled = [&] { return times(x, shown.gamma + shown.fixed); };
    return other ? other->forward(scaled()) : target;
  }

  NetImpl& model;
  Optimizer& optimizer;
  std::shared_ptr<NetImpl> other;
  torch::Tensor target;
  Config config;
  double unread = 1;
  static inline int shared = 1;
};
// CHECK: namespace graphed::trainer_learn_glue
// CHECK: // The members of the object that a call depends on: other values select another capture.
// CHECK-NEXT: auto& get_model(const ::app::Trainer& object) { return object.model; }
// CHECK-NEXT: constexpr const char* watched_names[] = {"model", "model.scale", "other", "other.scale", "target", "config.gamma"};
// CHECK-NEXT: void watch(graphed::impl::WatchedMembers& members, const ::app::Trainer& object) {
// CHECK-NEXT:   members.visit<
// CHECK-NEXT:       graphed::impl::WatchedMember<&get_model>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&get_model, &::app::NetImpl::scale>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::Trainer::other>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::Trainer::other, &::app::NetImpl::scale>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::Trainer::target>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::Trainer::config, &::app::Config::gamma>>(object);
// CHECK-NEXT: }
// CHECK: graphed::callable<&::app::Trainer::learn>::callable(graphed::impl::ObjectHolder<::app::Trainer> object)
// CHECK-NEXT:     : object_(std::move(object)),
// CHECK-NEXT:       engine_(trainer_learn_glue{{.*}}::spec, {*object_, trainer_learn_glue{{.*}}::watched_names, trainer_learn_glue{{.*}}::watch}) {}

// EXPLAIN: app::Trainer::learn
// EXPLAIN: members of the object that each call looks at
// EXPLAIN-NEXT: model         module  its modes select a capture; captured again where it or one of its tensors is replaced
// EXPLAIN-NEXT: model.scale   number  each value selects a capture
// EXPLAIN-NEXT: other         module
// EXPLAIN-NEXT: other.scale   number
// EXPLAIN-NEXT: target        tensor  captured again where it is replaced
// EXPLAIN-NEXT: config.gamma  number  each value selects a capture
// EXPLAIN-NEXT: some of them because a body may name them that is not in this file
// EXPLAIN: and each mode ({{.*}}, what the object holds)

// Without its body every number counts, and lists that may grow do not.
class Private {
 public:
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) const;

 private:
  enum class Phase { first, second };
  struct Layer {
    NetImpl* net;
    float gain;
  };
  NetImpl& model_;
  Phase phase_ = Phase::first;
  std::vector<Layer> layers_;
  std::map<std::string, std::vector<std::shared_ptr<NetImpl>>> modules_;
  std::optional<double> rate_;
  std::array<int, 3> sizes_;
  std::atomic<bool> is_ready_;
  std::vector<torch::Tensor> replay_;
  std::vector<double> losses_;
  double* loss_;
  std::array<float, 65> too_many_;
  const int limit_ = 3;
  Optimizer optimizer_;
};
// CHECK: namespace graphed::private_run_glue
// CHECK: constexpr const char* watched_names[] = {
// CHECK-NEXT: "model_",
// CHECK-NEXT: "model_.scale",
// CHECK-NEXT: "phase_",
// CHECK-NEXT: "layers_.net",
// CHECK-NEXT: "layers_.net.scale",
// CHECK-NEXT: "layers_.gain",
// CHECK-NEXT: "modules_",
// CHECK-NEXT: "modules_.scale",
// CHECK-NEXT: "rate_",
// CHECK-NEXT: "sizes_",
// CHECK-NEXT: "is_ready_"};
// CHECK-NEXT: void watch(graphed::impl::WatchedMembers& members, const ::app::Private& object);
// CHECK-NEXT: // An explicit instantiation may name private members.
// CHECK-NEXT: template <class... Members>
// CHECK-NEXT: struct watched_members {
// CHECK-NEXT:   friend void watch(graphed::impl::WatchedMembers& members, const ::app::Private& object) { members.visit<Members...>(object); }
// CHECK-NEXT: };
// CHECK-NEXT: #pragma GCC diagnostic push
// CHECK-NEXT: #pragma GCC diagnostic ignored "-Winvalid-offsetof"
// CHECK-NEXT: template struct watched_members<
// CHECK-NEXT:     graphed::impl::WatchedMember<&graphed::impl::referred_member<::app::Private, decltype(::app::Private::model_), __builtin_offsetof(::app::Private, model_)>>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&graphed::impl::referred_member<::app::Private, decltype(::app::Private::model_), __builtin_offsetof(::app::Private, model_)>, &::app::NetImpl::scale>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::phase_>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::layers_, &::app::Private::Layer::net>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::layers_, &::app::Private::Layer::net, &::app::NetImpl::scale>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::layers_, &::app::Private::Layer::gain>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::modules_>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::modules_, &::app::NetImpl::scale>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::rate_>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::sizes_>,
// CHECK-NEXT:     graphed::impl::WatchedMember<&::app::Private::is_ready_>>;
// CHECK-NEXT: #pragma GCC diagnostic pop

// EXPLAIN: app::Private::run
// EXPLAIN: members of the object that each call looks at
// EXPLAIN: is_ready_    number
// EXPLAIN-NEXT: some of them because a body may name them that is not in this file

// Inherited, of a bit-field, and whether there is another object of the same class, of which nothing is looked at.
struct Base {
  int64_t shift = 0;
  unsigned bits : 3;
};
struct Derived : Base {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) { return next ? x : times(x, shift + bits); }
  Derived* next = nullptr;
};
// CHECK: namespace graphed::derived_run_glue
// CHECK: auto get_bits(const ::app::Base& object) { return object.bits; }
// CHECK-NEXT: constexpr const char* watched_names[] = {"shift", "bits", "next"};
// CHECK: graphed::impl::WatchedMember<&::app::Base::shift>,
// CHECK-NEXT: graphed::impl::WatchedMember<&get_bits>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Derived::next, graphed::impl::held_objects>>(object);

// An object whose body reads nothing of it is not looked at, and functions have no object; a module's numbers are looked at beside it.
struct Empty {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) const { return x; }
  double unread = 1;
};
struct ModuleImpl : torch::nn::Module {
  GRAPHED(x: f32[2]) torch::Tensor forward(const torch::Tensor& x) { return times(x, scale); }
  double scale = 1;
};
GRAPHED(x: f32[2]) torch::Tensor function(const torch::Tensor& x);
// CHECK: namespace graphed::empty_run_glue
// CHECK-NOT: watched_names
// CHECK: engine_(empty_run_glue{{.*}}::spec) {}
// CHECK: constexpr const char* watched_names[] = {"scale"};
// CHECK: graphed::impl::WatchedMember<&::app::ModuleImpl::scale>>(object);
// CHECK: engine_(module_impl_forward_glue{{.*}}::spec, &*object_, {*object_, module_impl_forward_glue{{.*}}::watched_names, {{.*}}::watch}) {}
// CHECK-NOT: watched_names
// EXPLAIN: app::Empty::run
// EXPLAIN: members of the object that each call looks at
// EXPLAIN-NEXT: none

// Of templates that nothing else here instantiates.
template <class T>
struct ScaledImpl : torch::nn::Module {
  T scale;
};
template <class T>
struct Part {
  T rate;
};
struct OfTemplates {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x);
  std::shared_ptr<ScaledImpl<float>> module;
  std::unique_ptr<Part<double>> part;
};
// CHECK: namespace graphed::of_templates_run_glue
// CHECK: constexpr const char* watched_names[] = {"module", "module.scale", "part.rate"};
// CHECK: graphed::impl::WatchedMember<&::app::OfTemplates::module>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::OfTemplates::module, &::app::ScaledImpl<float>::scale>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::OfTemplates::part, &::app::Part<double>::rate>>(object);

// What is read by a body that this file does not have.
struct Half {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) { return elsewhere(x); }
  torch::Tensor elsewhere(const torch::Tensor& x);
  double factor = 1;
};
double outside(const Half& half);
struct Given {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) { return times(x, outside(half)); }
  Half half;
  double own = 1;
};
// CHECK: namespace graphed::half_run_glue
// CHECK: constexpr const char* watched_names[] = {"factor"};
// CHECK: namespace graphed::given_run_glue
// CHECK: constexpr const char* watched_names[] = {"half.factor"};

}  // namespace app
