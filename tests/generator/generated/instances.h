// SPDX-License-Identifier: Apache-2.0
//
// Annotated templates with chosen instances, and methods used through derived classes; instances.cpp defines them.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <utility>

// Arguments of templates, by names of graphed's own and without a namespace.
namespace optim {
enum class Mode { down, up };
}
enum Scalar { one, two };

namespace instances {

using torch::Tensor;

struct Doubling {
  static Tensor apply(const Tensor& x) { return x * 2; }
};
struct Negating {
  static Tensor apply(const Tensor& x) { return -x; }
};

template <class Step, int64_t Rows>
GRAPHED(x: f32[Rows, 2 * Rows] grad, times: key) Tensor repeated(const Tensor& x, int times = 1);
extern template Tensor repeated<Doubling, 2>(const Tensor&, int);
extern template Tensor repeated<Negating, 3>(const Tensor&, int);

template <class T, Scalar Factor, optim::Mode Mode, char Letter>
GRAPHED(x: f32[2]) Tensor marked(const Tensor& x);
extern template Tensor marked<int (*)(optim::Mode, Scalar), two, optim::Mode::up, '\''>(const Tensor&);

template <class Number>
struct Power {
  static constexpr int kSize = sizeof(Number);

  GRAPHED(x: f32[kSize], add: key)
  Tensor operator()(const Tensor& x, bool add = false) const;

  GRAPHED(x: f32[kSize])
  static std::pair<Tensor, Tensor> both(const Tensor& x);

  Number exponent = 3;
};
extern template struct Power<int>;
extern template struct Power<double>;

template <int64_t Rows>
struct Around {
  struct Inner {
    GRAPHED(x: f32[Rows, 2] grad)
    Tensor forward(const Tensor& x) const;

    double factor = 3;
  };
};
extern template struct Around<4>;

template <>
struct Power<bool> {
  GRAPHED(x: f32[5])
  Tensor operator()(const Tensor& x) const;
};

struct Tools {
  template <class Step>
  GRAPHED(x: f32[2]) Tensor once(const Tensor& x) const;
};
extern template Tensor Tools::once<Doubling>(const Tensor&) const;

struct BaseImpl : torch::nn::Module {
  BaseImpl();

  GRAPHED(x: f32[5, 3] grad)
  virtual Tensor forward(const Tensor& x);

  Tensor weight;
};

struct DerivedImpl : BaseImpl {
  Tensor scale = register_buffer("scale", torch::full({2}, 3.0));
};
TORCH_MODULE(Derived);

struct OverridingImpl : BaseImpl {
  Tensor forward(const Tensor& x) override;
};

}  // namespace instances
