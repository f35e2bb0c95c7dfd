// SPDX-License-Identifier: Apache-2.0
//
// Variables that the program's own functions read where a library calls these: calls look at them as at others.
// RUN: graphgen --print %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace app {

inline double of_constructor = 1, of_element = 1, of_functor = 1, of_comparison = 1, of_sum = 1, of_algorithm = 1, of_function = 1;
inline double of_generic = 1;

struct Made {
  Made() : factor(of_constructor) {}
  double factor;
};
struct Element {
  explicit Element(double by) : factor(by * of_element) {}
  bool operator<(const Element& other) const { return factor * of_comparison < other.factor; }
  Element operator+(const Element& other) const { return Element(factor + other.factor * of_sum); }
  double factor;
};
struct Functor {
  double operator()(const Made& made) const { return made.factor * of_functor; }
  double operator()(const Element& element) const { return element.factor; }
};
struct Scaled {
  void operator()(Element& element) const { element.factor *= of_algorithm; }
};
struct Doubled : torch::autograd::Function<Doubled> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& x) { return x * of_function; }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, torch::autograd::variable_list gradients) {
    return gradients;
  }
};
struct Twice {
  double times(double by) const { return by * of_generic; }
};

// CHECK: constexpr const char* watched_names[] = {
// CHECK-DAG: "::app::of_constructor"
// CHECK-DAG: "::app::of_element"
// CHECK-DAG: "::app::of_functor"
// CHECK-DAG: "::app::of_comparison"
// CHECK-DAG: "::app::of_sum"
// CHECK-DAG: "::app::of_algorithm"
// CHECK-DAG: "::app::of_function"
// CHECK-DAG: "::app::of_generic"
// CHECK: void watch(
GRAPHED(x: f32[2])
inline torch::Tensor function(const torch::Tensor& x) {
  const auto made = std::make_unique<Made>();
  std::vector<Element> elements;
  elements.emplace_back(2.0);
  std::for_each(elements.begin(), elements.end(), Scaled());
  const std::variant<Made, Element> either(*made);
  const double sum = std::accumulate(elements.begin(), elements.end(), std::max(elements[0], Element(1))).factor;
  const std::variant<Twice> only;
  const double generic = std::visit([](const auto& each) { return each.times(2); }, only);
  return Doubled::apply(x * std::visit(Functor(), either)) * (sum * generic);
}

}  // namespace app
