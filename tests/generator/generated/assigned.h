// SPDX-License-Identifier: Apache-2.0
//
// Arguments that a callable assigns, by reference and marked `out`, what it ignores, and results behind pointers.
#pragma once

#include <graphed/annotate.h>

#include <torch/types.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace assigned {

using torch::Tensor;

GRAPHED(x: f32[3] grad, h: f32[3])
Tensor recurrent(const Tensor& x, Tensor& h);

GRAPHED(x: f32[3], h: f32[3] optional, replace: key)
void perhaps(const Tensor& x, Tensor& h, bool replace);

GRAPHED(x: f32[3] grad, loss: out, each: out)
void losses(const Tensor& x, Tensor& loss, Tensor& each);

GRAPHED(x: f32[3], sum: out, wanted: key)
void sum_if(const Tensor& x, Tensor& sum, bool wanted);

GRAPHED(sum: out)
void of_nothing(Tensor& sum);

struct Report {
  Tensor logits;
  std::pair<Tensor, Tensor> bounds;
  Tensor steps;
};

GRAPHED(x: f32[3] grad, report: {logits: out, bounds: {out, f32[3]}, steps: f32[] inplace})
Tensor filled(const Tensor& x, Report& report);

struct Named {
  std::string name;
  Tensor x;
  int* place = nullptr;
  std::vector<std::string> tags;
};

GRAPHED(named: {name: ignore, x: f32[3] grad, place: ignore, tags: ignore}, id: ignore)
Tensor of_named(const Named& named, const char* id);

GRAPHED(all: {name: ignore, x: f32[3], place: ignore, tags: ignore} * 2)
Tensor of_list(const std::vector<Named>& all);

GRAPHED(x: f32[3], named: {name: ignore, x: f32[3], place: ignore, tags: ignore})
void changing(const Tensor& x, Named& named);

struct Output {
  Tensor logits;
  std::vector<Tensor> rows;
  double loss = 0;
};

GRAPHED(x: f32[3] grad, absent: key)
std::unique_ptr<Output> owned(const Tensor& x, bool absent);

GRAPHED(n: i64[])
std::pair<int, unsigned char> narrowed(const Tensor& n);

GRAPHED(n: i64[])
int checked(const Tensor& n);

GRAPHED(x: f32[3] grad, h: f32[3])
std::unique_ptr<std::pair<Tensor, Tensor>> owned_beside(const Tensor& x, Tensor& h);

using Owned = std::tuple<std::unique_ptr<Output>, std::vector<std::unique_ptr<Tensor>>,
                         std::optional<std::pair<Tensor, std::unique_ptr<std::array<Tensor, 2>>>>>;

GRAPHED(x: f32[3] grad, absent: key)
Owned owned_within(const Tensor& x, bool absent);

GRAPHED(x: f32[3] grad, h: f32[3])
std::array<std::unique_ptr<Tensor>, 2> owned_within_beside(const Tensor& x, Tensor& h);

using OwnedTwice = std::pair<std::optional<std::unique_ptr<Output>>, std::unique_ptr<std::optional<Tensor>>>;

GRAPHED(x: f32[3] grad, absent: key)
OwnedTwice owned_twice(const Tensor& x, bool absent);

GRAPHED(x: f32[3] grad, all: {out, f32[3], out}, both: {out, f32[] inplace})
Tensor into_array(const Tensor& x, std::array<Tensor, 3>& all, std::array<Tensor, 2>& both);

}  // namespace assigned
