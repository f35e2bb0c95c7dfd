// SPDX-License-Identifier: Apache-2.0
//
// An annotated callable of every form that a header can declare; forms.cpp defines them.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// A name that generated code uses too, elsewhere.
namespace at_global_scope_glue_in_forms {
constexpr int spec = 1;
}

GRAPHED(x: f32[3])
at::Tensor at_global_scope(const at::Tensor& x);

namespace forms {

using torch::Tensor;

constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 2 * kRows;
#define FORMS_WIDTH (1 + 2)

enum class Mode { twice, negated };

// Parameters.
GRAPHED(x: f32[kRows, kColumns] grad, w: f32[kColumns, FORMS_WIDTH] grad)
Tensor product(const Tensor& x, const Tensor& w);

GRAPHED(x: f32[2, 3])
Tensor by_value(Tensor x);

GRAPHED(x: f32[3] inplace, y: f32[3])
void add_into(Tensor& x, const Tensor& y);

GRAPHED(x: f32[2, 2] grad, bias: f32[2])
Tensor with_bias(const Tensor& x, const std::optional<Tensor>& bias);

GRAPHED(x: f32[2], y: f32[2])
Tensor with_optional_by_value(const Tensor& x, std::optional<Tensor> y);

GRAPHED(hs: f32[2, 3] grad * 3, x: f32[3])
Tensor stacked(const std::vector<Tensor>& hs, const Tensor& x);

GRAPHED(x: f32[2], hs: f32[2] * 2)
Tensor listed(const Tensor& x, at::TensorList hs);

GRAPHED(x: f64[3] grad, twice: key, steps: key, mode: key, eps: const, name: const)
Tensor scaled(const Tensor& x, bool twice = true, int steps = 2, Mode mode = Mode::twice, double eps = 0.5,
              const std::string& name = "scaled");

// Lists, optionals and LibTorch's own values: each is a key as a whole.
GRAPHED(x: f64[2, 6] grad, sizes: key, scale: key, mode: key, dtype: key, device: const)
Tensor reshaped(const Tensor& x, at::IntArrayRef sizes = {3, 4}, std::optional<double> scale = std::nullopt,
                const std::optional<Mode>& mode = Mode::twice, torch::ScalarType dtype = torch::kDouble,
                std::optional<torch::Device> device = std::nullopt);

struct Reduction {
  std::vector<int64_t> dims;
  std::optional<bool> keepdim;
  std::vector<std::string> steps;
};
GRAPHED(x: f32[2, 3, 4], by: {dims: key, keepdim: key, steps: key}, weights: const)
Tensor reduced(const Tensor& x, const Reduction& by, std::vector<double> weights = {0.5, 2});

// A number of any type: its type decides the result's.
struct Powers {
  at::Scalar base, exponent;
};
GRAPHED(x: i64[3], alpha: key, by: {base: key, exponent: const}, beta: key, rest: key)
Tensor combined(const Tensor& x, const at::Scalar& alpha, const Powers& by, const std::optional<at::Scalar>& beta = std::nullopt,
                at::ArrayRef<at::Scalar> rest = {});

GRAPHED(x: i64[3], alpha: key, beta: key, gamma: key)
Tensor added(const Tensor& x, const at::Scalar& alpha = 2, at::Scalar beta = 2.0, std::optional<at::Scalar> gamma = true);

// Results.
GRAPHED(x: f32[4] grad)
std::tuple<Tensor, Tensor, Tensor> three(const Tensor& x);

GRAPHED(x: f32[4] grad)
std::pair<Tensor, Tensor> two(const Tensor& x);

GRAPHED(x: f32[4] grad)
std::array<Tensor, 2> halves(const Tensor& x);

GRAPHED(x: f32[4] grad)
std::vector<Tensor> quarters(const Tensor& x);

// Shapes.
GRAPHED()
Tensor nothing_given();

GRAPHED(n: key)
Tensor filled(int64_t n);

GRAPHED(x: f32[] grad)
Tensor rank_zero(const Tensor& x);

GRAPHED(x: f32[0, 4] grad)
Tensor empty(const Tensor& x);

// Names that generated code uses itself.
GRAPHED(in: f32[2], call: f32[2], graph: f32[2], inputs: f32[2], body: f32[2], engine: f32[2], arguments: f32[2], Arguments: f32[2])
Tensor clashing(const Tensor& in, const Tensor& call, const Tensor& graph, const Tensor& inputs, const Tensor& body, const Tensor& engine,
                const Tensor& arguments, const Tensor& Arguments);

GRAPHED(signature: f32[2], stats: f32[2], reset: f32[2], engine_: f32[2], object_: f32[2], graphed: f32[2], tensors: f32[2],
        spec: f32[2])
Tensor clashing_with_members(const Tensor& signature, const Tensor& stats, const Tensor& reset, const Tensor& engine_,
                             const Tensor& object_, const Tensor& graphed, const Tensor& tensors, const Tensor& spec);

// Options.
GRAPHED(x: f32[2] grad; warmup = 0, outputs = clone)
Tensor cloned(const Tensor& x);

GRAPHED(x: f32[2]; warmup = 1, outputs = alias, strict, allow = graphed - host - item)
Tensor aliased(const Tensor& x);

// Overloads.
GRAPHED(x: f32[2])
Tensor overloaded(const Tensor& x);

GRAPHED(x: f32[2], y: f32[2])
Tensor overloaded(const Tensor& x, const Tensor& y);

// flags.h, which this file does not include, has another function of this name.
GRAPHED(x: f32[2])
Tensor of_two_headers(const Tensor& x);

GRAPHED(x: f32[2])
Tensor never_throws(const Tensor& x) noexcept;

namespace inner {
GRAPHED(x: f32[2, 2])
Tensor product(const Tensor& x);
}  // namespace inner

// Methods.
struct NetImpl : torch::nn::Module {
  NetImpl();

  GRAPHED(x: f32[5, 3])
  Tensor forward(const Tensor& x);

  GRAPHED(x: f32[5, 3])
  Tensor evaluate(const Tensor& x) const;

  GRAPHED(x: f32[2])
  Tensor overloaded(const Tensor& x) &;

  GRAPHED(x: f32[2], y: f32[2])
  Tensor overloaded(const Tensor& x, const Tensor& y) const;

  GRAPHED(x: f32[3])
  static Tensor normalized(const Tensor& x);

  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Net);

struct Scale {
  GRAPHED(x: f32[3] grad)
  Tensor operator()(const Tensor& x) const;

  struct Shift {
    GRAPHED(x: f32[3] grad)
    Tensor operator()(const Tensor& x) noexcept;

    double by = 1.0;
  };

  double factor = 2.0;
};

// Deprecated: generated code names it without a warning.
GRAPHED(x: f32[3])
[[deprecated("use at_global_scope")]] Tensor retired(const Tensor& x);

}  // namespace forms

// A namespace with a name of graphed's own.
namespace impl {
GRAPHED(x: f32[3])
at::Tensor step(const at::Tensor& x);

struct Graph {
  GRAPHED(x: f32[3])
  at::Tensor call(const at::Tensor& x) const;
};
}  // namespace impl
