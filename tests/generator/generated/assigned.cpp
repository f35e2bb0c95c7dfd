// SPDX-License-Identifier: Apache-2.0
#include "assigned.h"

#include <ATen/ATen.h>

namespace assigned {

Tensor recurrent(const Tensor& x, Tensor& h) {
  h = at::tanh(x + h);
  return h.sum();
}

void perhaps(const Tensor& x, Tensor& h, bool replace) {
  if (replace) {
    h = h.defined() ? x + h : x * 2;
  }
}

void losses(const Tensor& x, Tensor& loss, Tensor& each) {
  each = x.exp();
  loss = each.sum();
}

void sum_if(const Tensor& x, Tensor& sum, bool wanted) {
  if (wanted) {
    sum = x.sum();
  }
}

void of_nothing(Tensor& sum) { sum = at::ones(3).sum(); }

Tensor filled(const Tensor& x, Report& report) {
  report.logits = x * report.bounds.second;
  report.bounds.first = report.logits.amin();
  report.bounds.second = report.bounds.second + 1;
  report.steps.add_(1);
  return report.logits.sum();
}

Tensor of_named(const Named& named, const char* /*id*/) { return named.x.sin(); }

Tensor of_list(const std::vector<Named>& all) { return all.at(0).x + all.at(1).x * 2; }

void changing(const Tensor& x, Named& named) { named.x = named.x + x; }

std::unique_ptr<Output> owned(const Tensor& x, bool absent) {
  if (absent) {
    return nullptr;
  }
  auto output = std::make_unique<Output>();
  output->logits = x.exp();
  output->rows = {x * 2, x * 3};
  output->loss = x.sum().item<float>();
  return output;
}

std::pair<int, unsigned char> narrowed(const Tensor& n) {
  const auto twice = (n * 2).item<int64_t>();
  return {static_cast<int>(twice), static_cast<unsigned char>(twice)};
}

int checked(const Tensor& n) { return (n * 2).item<int>(); }

std::unique_ptr<std::pair<Tensor, Tensor>> owned_beside(const Tensor& x, Tensor& h) {
  h = h + x.detach();
  return std::make_unique<std::pair<Tensor, Tensor>>(x * h, x.sum());
}

Owned owned_within(const Tensor& x, bool absent) {
  Owned all;
  std::get<1>(all).push_back(std::make_unique<Tensor>(x * 5));
  std::get<1>(all).push_back(nullptr);
  if (!absent) {
    std::get<0>(all) = owned(x, false);
    std::get<2>(all).emplace(x * 7, std::make_unique<std::array<Tensor, 2>>(std::array<Tensor, 2>{x.sin(), x.cos()}));
  }
  return all;
}

std::array<std::unique_ptr<Tensor>, 2> owned_within_beside(const Tensor& x, Tensor& h) {
  h = h + x.detach();
  return {std::make_unique<Tensor>(x * h), nullptr};
}

OwnedTwice owned_twice(const Tensor& x, bool absent) {
  return {owned(x, absent), std::make_unique<std::optional<Tensor>>(absent ? std::nullopt : std::optional(x * 9))};
}

Tensor into_array(const Tensor& x, std::array<Tensor, 3>& all, std::array<Tensor, 2>& both) {
  all[0] = x * all[1];
  all[1] = all[1] + 1;
  all[2] = all[0].sum();
  both[0] = x.exp();
  both[1].add_(1);
  return both[0].sum();
}

}  // namespace assigned
