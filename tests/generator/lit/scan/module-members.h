// SPDX-License-Identifier: Apache-2.0
//
// What each call looks at in a module beside what it has registered: tensors, numbers and modules of its own that a body names.
// RUN: graphgen --print %s %flags > %t && FileCheck %s < %t
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAIN
#pragma once
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace app {

struct Cell {
  torch::Tensor h, c;
  int steps = 0;
};

class RecurrentImpl : public torch::nn::Module {
 public:
  GRAPHED(x: f32[2])
  torch::Tensor forward(const torch::Tensor& x) {
    cell_.h = (x + cell_.h).tanh();
    ++cell_.steps;
    return seen_ ? cell_.c : inner_->forward(cell_.h);
  }

 private:
  Cell cell_;
  std::tuple<torch::Tensor, torch::Tensor> unused_;
  torch::nn::Linear inner_;
  bool seen_ = true;
};

// CHECK: constexpr const char* watched_names[] = {"cell_.h", "cell_.c", "cell_.steps", "inner_", "seen_"};
// CHECK: graphed::impl::WatchedMember<&::app::RecurrentImpl::cell_, &::app::Cell::h>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::RecurrentImpl::cell_, &::app::Cell::c>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::RecurrentImpl::cell_, &::app::Cell::steps>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::RecurrentImpl::inner_>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::RecurrentImpl::seen_>>;
// CHECK-NOT: WatchedMember
// CHECK: engine_(recurrent_impl_forward_glue_of_app_in_module_members::spec, &*object_, {*object_, recurrent_impl_forward_glue_of_app_in_module_members::watched_names, recurrent_impl_forward_glue_of_app_in_module_members::watch}) {}
// EXPLAIN: members of the object that each call looks at, beside what it has registered
// EXPLAIN-NEXT: cell_.h{{ +}}tensor

// Numbers of base classes, of modules within structs and of structs within modules, in a body and in one that it calls.
enum class Kind { plain, scaled };
struct BaseImpl : torch::nn::Module {
  double gain = 1;
  Kind kind = Kind::plain;
};
struct BlockImpl : BaseImpl {
  torch::Tensor forward(const torch::Tensor& x) { return kind == Kind::scaled ? x / gain : x / shift(); }
  double shift() const { return settings.shift; }
  struct Settings {
    double shift = 1, unread = 2;
    std::string name;
  } settings;
};
TORCH_MODULE(Block);
struct Part {
  Block block;
  bool on = true;
};
struct OuterImpl : BaseImpl {
  GRAPHED(x: f32[2])
  torch::Tensor forward(const torch::Tensor& x) { return part.on ? part.block->forward(x) / gain : blocks[0]->forward(x); }
  Part part;
  std::vector<Block> blocks;
};
// CHECK: constexpr const char* watched_names[] = {
// CHECK-NEXT: "gain",
// CHECK-NEXT: "kind",
// CHECK-NEXT: "part.block",
// CHECK-NEXT: "part.block.gain",
// CHECK-NEXT: "part.block.kind",
// CHECK-NEXT: "part.block.settings.shift",
// CHECK-NEXT: "part.on",
// CHECK-NEXT: "blocks",
// CHECK-NEXT: "blocks.gain",
// CHECK-NEXT: "blocks.kind",
// CHECK-NEXT: "blocks.settings.shift"};
// CHECK: graphed::impl::WatchedMember<&::app::BaseImpl::gain>,
// CHECK: graphed::impl::WatchedMember<&::app::OuterImpl::part, &::app::Part::block, &::app::BlockImpl::settings, &::app::BlockImpl::Settings::shift>,
// CHECK: graphed::impl::WatchedMember<&::app::OuterImpl::blocks, &::app::BaseImpl::gain>,

// A body that is not here may read all that the classes have.
struct ElsewhereImpl : torch::nn::Module {
  GRAPHED(x: f32[2])
  torch::Tensor forward(const torch::Tensor& x);
  Block block;
  const int fixed = 1;
  std::vector<double> losses;
};
// CHECK: constexpr const char* watched_names[] = {
// CHECK-NEXT: "block",
// CHECK-NEXT: "block.gain",
// CHECK-NEXT: "block.kind",
// CHECK-NEXT: "block.settings.shift",
// CHECK-NEXT: "block.settings.unread",
// CHECK-NEXT: "block.settings.name"};

// Modules in a variant and in a tuple have members, too.
struct Choice {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) { return x * std::get<0>(one).gain * std::get<1>(other).gain; }
  std::variant<BaseImpl, int> one;
  std::tuple<int, BlockImpl> other;
};
// CHECK: constexpr const char* watched_names[] = {"one", "one[0]", "one[0].gain", "one[1]", "other[0]", "other[1]", "other[1].gain"};
// CHECK: graphed::impl::WatchedMember<&::app::Choice::other, graphed::impl::element{1}, &::app::BaseImpl::gain>>(object);

}  // namespace app
