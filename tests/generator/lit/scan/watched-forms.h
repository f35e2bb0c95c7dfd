// SPDX-License-Identifier: Apache-2.0
//
// Values of each form, in the members of a struct, that a call compares: numbers one by one, others by their bytes, lists with their length.
// RUN: graphgen --print %s %flags 2>&1 >%t | count 0
// RUN: FileCheck %s < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace app {

void use(...);

struct Layer {
  double gain = 1;
  int unread = 2;
};
struct Relu {};
struct Leaky {
  double slope = 0.1;
};
using Signed = double (*)(double);

struct Forms {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    use(&phase, &wide, &bits, &pause, &title, &rates, &flags, &queue, &names, &by_name, &table, &power, &union_);
    if (const auto* leaky = std::get_if<Leaky>(&act)) {
      use(leaky->slope);
    }
    use(std::get<0>(layers).gain, std::get<1>(layers), pairs[0].second.gain, number);
    return std::holds_alternative<Relu>(kind) ? x : x + x;
  }
  std::complex<double> phase;
  long double wide = 1;
  std::bitset<5> bits;
  std::chrono::milliseconds pause{1};
  const char* title = "a";
  std::vector<double> rates;
  std::vector<bool> flags;
  std::deque<int> queue;
  std::set<std::string> names;
  std::map<std::string, double> by_name;
  std::unordered_map<int, std::vector<float>> table;
  Signed power = nullptr;
  union {
    int whole;
    float half;
  } union_;
  std::variant<Relu, Leaky> act;
  std::variant<Relu, double> kind;
  std::tuple<Layer, int> layers;
  std::vector<std::pair<int, Layer>> pairs;
  union {
    int number;
    float other;
  };
};
// CHECK: constexpr const char* watched_names[] = {
// CHECK-NEXT: "phase",
// CHECK-NEXT: "wide",
// CHECK-NEXT: "bits",
// CHECK-NEXT: "pause",
// CHECK-NEXT: "title",
// CHECK-NEXT: "rates",
// CHECK-NEXT: "flags",
// CHECK-NEXT: "queue",
// CHECK-NEXT: "names",
// CHECK-NEXT: "by_name",
// CHECK-NEXT: "table",
// CHECK-NEXT: "power",
// CHECK-NEXT: "union_",
// CHECK-NEXT: "act",
// CHECK-NEXT: "act[1].slope",
// CHECK-NEXT: "kind",
// CHECK-NEXT: "layers[0].gain",
// CHECK-NEXT: "layers[1]",
// CHECK-NEXT: "pairs[0]",
// CHECK-NEXT: "pairs[1].gain",
// CHECK-NEXT: "number"};
// CHECK: graphed::impl::WatchedMember<&::app::Forms::act, graphed::impl::which_alternative>,
// CHECK: graphed::impl::WatchedMember<&::app::Forms::act, graphed::impl::element{1}, &::app::Leaky::slope>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Forms::kind>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Forms::layers, graphed::impl::element{0}, &::app::Layer::gain>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Forms::layers, graphed::impl::element{1}>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Forms::pairs, graphed::impl::element{0}>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Forms::pairs, graphed::impl::element{1}, &::app::Layer::gain>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Forms::number>>(object);

// How many objects there are, where nothing of them is read, and which classes they have that pointers to a base lead to.
struct Activation {
  virtual ~Activation() = default;
  virtual torch::Tensor run(const torch::Tensor& x) const = 0;
};
struct Fixed final : Activation {
  torch::Tensor run(const torch::Tensor& x) const override { return x / slope; }
  double slope = 1;
};
struct Activated {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) const {
    return rows.size() > 1 && row ? x : fixed->run(layers[0]->run(activation->run(x)));
  }
  std::unique_ptr<Activation> activation;
  std::vector<std::shared_ptr<Activation>> layers;
  std::unique_ptr<Fixed> fixed;
  std::vector<Layer> rows;
  std::optional<Layer> row;
};
// CHECK: constexpr const char* watched_names[] = {"activation", "layers", "fixed.slope", "rows", "row"};
// CHECK: graphed::impl::WatchedMember<&::app::Activated::activation, graphed::impl::held_objects>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Activated::layers, graphed::impl::held_objects>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Activated::fixed, &::app::Fixed::slope>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Activated::rows, graphed::impl::held_objects>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::Activated::row, graphed::impl::held_objects>>(object);

}  // namespace app
