// SPDX-License-Identifier: Apache-2.0
//
// Arguments that are modules and other objects: in every way that a parameter refers to one, and what each call looks at in them.
// RUN: graphgen --print %s %flags > %t && FileCheck %s < %t
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAIN
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <ostream>

namespace app {

struct NetImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x);
};
TORCH_MODULE(Net);

GRAPHED(a: module, b: module, c: module, d: module, e: module, f: module, g: module, h: module, i: module)
torch::Tensor modules(NetImpl& a, const NetImpl& b, Net c, const Net& d, NetImpl* e, std::shared_ptr<NetImpl> f,
                      const std::shared_ptr<NetImpl>& g, torch::nn::Module& h, std::unique_ptr<NetImpl>& i);
// CHECK-LABEL: // {{.*}}objects.graphed.cpp
// CHECK-LABEL: namespace graphed::modules_glue
// CHECK: // The objects among the arguments, and what a call depends on in them: others select another capture.
// CHECK-NEXT: auto& argument_a(const Arguments& arguments) { return arguments.a; }
// CHECK: constexpr const char* names_of_arguments[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
// CHECK-NEXT: void watch_arguments(graphed::impl::WatchedMembers& members, const Arguments& object) {
// CHECK-NEXT:   members.visit<
// CHECK-NEXT:       graphed::impl::WatchedArgument<&argument_a>,
// CHECK: const graphed::impl::WatchedObject objects(arguments, names_of_arguments, watch_arguments);
// CHECK: const auto body = [&](graphed::tensor_list&) {
// CHECK-NEXT: return graphed::impl::packed([&] {
// CHECK-NEXT: return ::app::modules(
// CHECK-NEXT: arguments.a,
// CHECK: graphed::impl::Call::prepare(engine, inputs, body, {}, objects);
// CHECK: graphed::impl::Call call(engine, inputs, {}, objects);

struct Optimizer {
  virtual void step() const {}
};
class Trainer {
 public:
  torch::Tensor loss(const torch::Tensor& x) const { return x * scale; }
  double scale = 1;
  double unread = 1;

 private:
  Net net;
};
GRAPHED(opt: object, trainer: object, x: f32[2], n: key)
inline torch::Tensor others(Optimizer& opt, const Trainer& trainer, const torch::Tensor& x, int64_t n) {
  opt.step();
  return trainer.loss(x);
}
// CHECK-LABEL: namespace graphed::others_glue
// CHECK: constexpr const char* names_of_arguments[] = {"opt", "trainer", "trainer.scale"};
// CHECK: graphed::impl::WatchedArgument<&argument_opt>,
// CHECK-NEXT: graphed::impl::WatchedArgument<&argument_trainer>,
// CHECK-NEXT: graphed::impl::WatchedMember<&argument_trainer, &::app::Trainer::scale>>(object);
// CHECK: return ::app::others(arguments.opt, arguments.trainer, in[0], arguments.n);
// CHECK: graphed::impl::Call call(engine, inputs, scalars(), objects);
// EXPLAIN-LABEL: app::others
// EXPLAIN: parameters
// EXPLAIN-NEXT: opt {{ *}}object
// EXPLAIN-NEXT: trainer {{ *}}object
// EXPLAIN: objects among the arguments, and what each call looks at in them
// EXPLAIN-NEXT: opt {{ *}}object {{ *}}each one selects a capture
// EXPLAIN-NEXT: trainer {{ *}}object {{ *}}each one selects a capture
// EXPLAIN-NEXT: trainer.scale {{ *}}number {{ *}}each value selects a capture
// EXPLAIN: which objects the arguments are, what they hold)

// What a module has beside its registered tensors, by a reference and by its holder.
struct ScaledImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x / scale; }
  double scale = 1, unread = 1;
};
TORCH_MODULE(Scaled);
GRAPHED(first: module, second: module, x: f32[2])
inline torch::Tensor scaled(ScaledImpl& first, const Scaled& second, const torch::Tensor& x) {
  return first.forward(second->forward(x));
}
// CHECK-LABEL: namespace graphed::scaled_glue
// CHECK: constexpr const char* names_of_arguments[] = {"first", "first.scale", "second", "second.scale"};
// CHECK: graphed::impl::WatchedMember<&argument_second, &::app::ScaledImpl::scale>>(object);

// What its body reads is in another file: each member may be.
GRAPHED(trainer: object, log: object, x: f32[2])
torch::Tensor elsewhere(std::shared_ptr<Trainer> trainer, std::ostream* log = nullptr, const torch::Tensor& x = {});
// CHECK-LABEL: namespace graphed::elsewhere_glue
// CHECK: {"trainer", "trainer.scale", "trainer.unread", "trainer.net", "log"};
// CHECK: struct watched_arguments {
// CHECK: graphed::impl::WatchedMember<&argument_trainer, &::app::Trainer::net>

// A struct of simple members may be an aggregate or an object.
struct Sizes {
  int64_t width = 1;
};
GRAPHED(x: f32[2], sizes: object)
inline torch::Tensor sized(const torch::Tensor& x, const Sizes& sizes) { return x * sizes.width; }
GRAPHED(x: f32[2], sizes: {width: key})
inline torch::Tensor keyed(const torch::Tensor& x, const Sizes& sizes) { return x * sizes.width; }
// CHECK-LABEL: namespace graphed::sized_glue
// CHECK: {"sizes", "sizes.width"};
// CHECK-LABEL: namespace graphed::keyed_glue
// CHECK-NOT: watch_arguments
// CHECK: .key("sizes.width", arguments.sizes.width)

}  // namespace app
