// SPDX-License-Identifier: Apache-2.0
//
// Variables of namespaces and classes that bodies read: each call looks at those that code in another file can name.
// RUN: graphgen --print %s %flags > %t && FileCheck %s < %t
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAIN
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <string>

namespace app {

inline double gain = 1;
inline const double fixed = 2;
inline constexpr int kCount = 3;
extern std::string mode;
inline thread_local int level = 0;
inline double& shown = gain;
static double own = 1;
struct NetImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x / rate; }
  double rate = 1;
};
TORCH_MODULE(Net);
inline Net net;
inline torch::Tensor mask;
struct Config {
  double eps = 1, unread = 2;
};
inline Config config;
template <class T>
struct Shared {
  static inline T value = 1;
};

inline double read() { return gain + fixed + kCount + config.eps + own + level + shown + Shared<float>::value; }

GRAPHED(x: f32[2])
inline torch::Tensor function(const torch::Tensor& x) {
  return mode == "net" ? net->forward(x) + mask : x / read();
}
// CHECK: // The variables that a call depends on: other values select another capture.
// CHECK-NEXT: auto& get_level() { return ::app::level; }
// CHECK-NEXT: auto& get_shown() { return ::app::shown; }
// CHECK-NEXT: constexpr const char* watched_names[] = {
// CHECK-NEXT: "::app::mode",
// CHECK-NEXT: "::app::net",
// CHECK-NEXT: "::app::net.rate",
// CHECK-NEXT: "::app::mask",
// CHECK-NEXT: "::app::gain",
// CHECK-NEXT: "::app::config.eps",
// CHECK-NEXT: "::app::level",
// CHECK-NEXT: "::app::shown",
// CHECK-NEXT: "::app::Shared<float>::value"};
// CHECK-NEXT: void watch(graphed::impl::WatchedMembers& members, const graphed::impl::Variables& object) {
// CHECK-NEXT:   members.visit<
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::mode>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::net>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::net, &::app::NetImpl::rate>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::mask>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::gain>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::config, &::app::Config::eps>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&get_level>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&get_shown>,
// CHECK-NEXT:       graphed::impl::WatchedMember<&::app::Shared<float>::value>>(object);
// CHECK: callable() : engine_(function_glue_of_app_in_watched_variables::spec, {graphed::impl::variables, function_glue_of_app_in_watched_variables::watched_names, function_glue_of_app_in_watched_variables::watch}) {}
// EXPLAIN: app::function
// EXPLAIN: variables that each call looks at
// EXPLAIN-NEXT: ::app::mode {{ *}}number  each value selects a capture
// EXPLAIN-NEXT: ::app::net {{ *}}module
// EXPLAIN: and each mode ({{.*}}, what variables hold)

// Beside members, and of a class whose members are private.
class Policy {
 public:
  GRAPHED(x: f32[2])
  torch::Tensor act(const torch::Tensor& x) const { return x / (slope + temperature); }

 private:
  static inline double temperature = 1;
  double slope = 2;
};
// CHECK: // The members of the object, and the variables, that a call depends on: other values select another capture.
// CHECK-NEXT: constexpr const char* watched_names[] = {"slope", "::app::Policy::temperature"};
// CHECK: template struct watched_members<
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Policy::slope>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Policy::temperature>>;

// Nothing of what bodies do not read.
GRAPHED(x: f32[2])
inline torch::Tensor plain(const torch::Tensor& x) { return x / kCount; }
// CHECK: engine_(plain_glue_of_app_in_watched_variables::spec) {}

}  // namespace app
