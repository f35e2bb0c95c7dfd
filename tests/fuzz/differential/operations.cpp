// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include <torch/autograd.h>
#include <torch/nn.h>

namespace graphed::fuzz {
namespace {

using at::Tensor;
using closure = operation::closure;
constexpr unsigned none = operation::none, view = operation::view, writes = operation::writes, saves = operation::saves,
                   repeats = operation::repeats, rare = operation::rare, last = operation::last, part = operation::part,
                   each = operation::each, live = operation::live, asks = operation::asks, align = operation::align,
                   custom = operation::custom, cuts = operation::cuts, second = operation::second, draws = operation::draws;

// A Function of the user's own, with a saved tensor.
struct Cube : torch::autograd::Function<Cube> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x});
    return x * x * x;
  }
  static tensor_list backward(torch::autograd::AutogradContext* context, const tensor_list& gradients) {
    const Tensor x = context->get_saved_variables()[0];
    return {gradients[0] * x * x * 3};
  }
};

Tensor branch_on_value(const Tensor& x) {
  if (x.sum().item<double>() > 0) {
    return x * 2;
  }
  return x.sin();
}

Tensor gradient_of_cube(const Tensor& x) {
  return torch::autograd::grad({x.pow(3).sum()}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
}

Tensor set_row(const Tensor& x, int64_t row, double value) {
  x.select(0, row).fill_(value);
  return x;
}

Tensor track(const Tensor& x, const Tensor& average) {
  average.mul_(0.75).add_(x.detach().mean(0), 0.25);
  return average;
}

// LibTorch does not check the size of an LSTM's input, and reads and writes past its memory.
Tensor lstm(const Tensor& x, const tensor_list& w, bool training) {
  TORCH_CHECK(x.size(2) == w[0].size(1), "an input of another size");
  const Tensor state = at::zeros({1, x.size(1), w[1].size(1)}, x.options().requires_grad(false));
  return std::get<0>(at::lstm(x, {state, state}, w, true, 1, 0.0, training, false, false));
}

Tensor reversed_rows(const Tensor& x) {
  return x.index_select(0, at::arange(x.size(0) - 1, -1, -1, x.options().dtype(at::kLong).requires_grad(false)));
}
Tensor shuffled_rows(const Tensor& x) {
  return x.index_select(0, at::randperm(x.size(0), x.options().dtype(at::kLong).requires_grad(false)));
}
Tensor labels_of(const Tensor& x) { return x.detach().argmax(1); }

// Of rows alone: on a GPU, nll_loss2d adds in no fixed order.
Tensor loss_of_labels(const Tensor& x) {
  const Tensor rows = x.dim() > 2 ? x.transpose(1, -1).reshape({-1, x.size(1)}) : x;
  return at::cross_entropy_loss(rows, labels_of(rows));
}

closure linear_members(const Tensor& x) { return {{{4, x.size(-1)}, {4}}}; }
closure linear_back_members(const Tensor& x) { return {{{6, x.size(-1)}}}; }
closure conv1d_members(const Tensor& x) { return {{{4, x.size(1), 2}, {4}}}; }
closure conv2d_members(const Tensor& x) { return {{{4, x.size(1), 3, 3}, {4}}}; }
closure channel_members(const Tensor& x) { return {{{x.size(1)}, {x.size(1)}}}; }
closure batch_norm_members(const Tensor& x) { return {{{x.size(1)}, {x.size(1)}, {x.size(1)}, {x.size(1)}}, 2}; }
closure last_members(const Tensor& x) { return {{{x.size(-1)}, {x.size(-1)}}}; }
closure row_member(const Tensor& x) { return {{{x.size(-1)}}}; }
closure average_member(const Tensor& x) { return {{x.sizes().slice(1).vec()}, 1}; }
closure embedding_members(const Tensor& /*x*/) { return {{{5, 6}}}; }
closure prelu_members(const Tensor& /*x*/) { return {{{1}}}; }
closure lstm_members(const Tensor& x) { return {{{12, x.size(2)}, {12, 3}, {12}, {12}}}; }

#define GRAPHED_OPERATION(operands, numbers, traits, members, ...)                                                               \
  {#__VA_ARGS__,                                                                                                                 \
   operands,                                                                                                                     \
   numbers,                                                                                                                      \
   traits,                                                                                                                       \
   []([[maybe_unused]] const surroundings& on, const tensor_list& x, [[maybe_unused]] const std::vector<int64_t>& n) -> Tensor { \
     [[maybe_unused]] const Scalar& s = on.live;                                                                                 \
     return __VA_ARGS__;                                                                                                         \
   },                                                                                                                            \
   members}
#define UNARY(traits, ...) GRAPHED_OPERATION(1, 0, traits, nullptr, __VA_ARGS__)
#define UNARY_AT(traits, ...) GRAPHED_OPERATION(1, 1, traits, nullptr, __VA_ARGS__)
#define UNARY_AT2(traits, ...) GRAPHED_OPERATION(1, 2, traits, nullptr, __VA_ARGS__)
#define BINARY(traits, ...) GRAPHED_OPERATION(2, 0, traits, nullptr, __VA_ARGS__)
#define BINARY_AT(traits, ...) GRAPHED_OPERATION(2, 1, traits, nullptr, __VA_ARGS__)
#define LAYER(traits, members, ...) GRAPHED_OPERATION(1, 0, traits, members, __VA_ARGS__)

std::vector<operation> make_operations() {
  return {
      // of one tensor, element by element
      UNARY(saves | each, x[0].relu()),
      UNARY(saves, x[0].tanh()),
      UNARY(saves, x[0].sigmoid()),
      UNARY(saves, at::gelu(x[0])),
      UNARY(saves, at::silu(x[0])),
      UNARY(saves | each, x[0].clamp(-0.5, 0.75)),
      UNARY(saves, x[0].abs().log1p()),
      UNARY(saves, x[0].sin()),
      UNARY(each, x[0].neg()),
      UNARY(each, x[0] * 0.5),
      UNARY(each, x[0] + 1),
      UNARY(each, x[0].clone()),
      UNARY(saves | each | custom, Cube::apply(x[0])),
      UNARY(live | each, x[0] * s.like(x[0])),
      UNARY(live | writes | each, x[0].mul_(s.like(x[0]))),
      UNARY(live | cuts, s.tensor(x[0].device()) * 2),
      UNARY(view | rare, x[0].to(at::kBFloat16)),
      UNARY(view | rare, x[0].to(at::kDouble)),
      UNARY(rare | cuts, x[0].gt(0)),
      UNARY(rare | repeats | asks, gradient_of_cube(x[0])),
      // along a dimension
      UNARY_AT(saves, x[0].softmax(n[0])),
      UNARY_AT(saves, x[0].log_softmax(n[0])),
      UNARY_AT(saves, x[0].logsumexp(n[0], true)),
      UNARY_AT(none, x[0].sum(n[0])),
      UNARY_AT(none, x[0].mean(n[0], true)),
      UNARY_AT(none, x[0].cumsum(n[0])),
      UNARY_AT(none, x[0].flip(n[0])),
      UNARY_AT(saves, std::get<0>(x[0].sort(n[0]))),
      UNARY_AT(saves, std::get<0>(x[0].max(n[0], true))),
      UNARY_AT(saves | repeats, x[0].std(n[0], true, true)),
      UNARY_AT(rare | cuts, x[0].argmax(n[0])),
      UNARY_AT(none, x[0].roll(1, n[0])),
      UNARY(none, reversed_rows(x[0])),
      UNARY(none, x[0].sum()),
      UNARY(rare | each | cuts, at::zeros_like(x[0])),
      // views
      UNARY_AT2(view, x[0].transpose(n[0], n[1])),
      UNARY_AT2(view, x[0].select(n[0], n[1])),
      UNARY_AT2(view, x[0].narrow(n[0], n[1], 2)),
      UNARY_AT(view, x[0].slice(n[0], 0, 100, 2)),
      UNARY_AT(view, x[0].unsqueeze(n[0])),
      UNARY_AT(view, x[0].flatten(n[0])),
      UNARY_AT(view | part, x[0].chunk(2, n[0]).at(1)),
      UNARY_AT(view | part, x[0].unbind(n[0]).at(0)),
      UNARY(view, x[0].view(-1)),
      UNARY(view, x[0].unsqueeze(0).expand({2, -1, -1})),
      UNARY(view, x[0].diagonal()),
      UNARY(view | each | cuts, x[0].detach()),
      UNARY(view | each, x[0].contiguous()),
      UNARY(view, x[0].reshape({-1, 2})),
      UNARY(rare, at::real(at::complex(x[0], x[0].neg()).conj()).clone()),
      // of two tensors
      BINARY(each, x[0] + x[1]),
      BINARY(each, x[0] - x[1]),
      BINARY(each, x[0] * x[1]),
      BINARY(each, x[0] / (x[1].abs() + 1)),
      BINARY(none, at::maximum(x[0], x[1])),  // of 0 and -0 it takes one by the place in a vector
      BINARY(each, at::where(x[0] > x[1], x[0], x[1])),
      BINARY(align, x[0].matmul(x[1].transpose(-1, -2))),
      BINARY(align, at::bmm(x[0], x[1].transpose(1, 2))),
      BINARY_AT(none, at::cat({x[0], x[1]}, n[0])),
      BINARY_AT(none, at::stack({x[0], x[1]}, n[0])),
      BINARY(none, at::mse_loss(x[0], x[1])),
      BINARY(second, at::_foreach_sin({x[0], x[1]}).at(1)),
      BINARY(rare, at::lerp(x[0], x[1], 0.25)),
      UNARY(saves, loss_of_labels(x[0])),
      // in place
      UNARY(writes | each, x[0].relu_()),
      UNARY(writes | each, x[0].mul_(0.5)),
      UNARY(writes | each, x[0].add_(1)),
      UNARY(writes, x[0].tanh_()),
      UNARY(writes | rare, x[0].zero_()),
      UNARY(writes | each, x[0].masked_fill_(x[0].detach() > 0, 0.5)),
      BINARY(writes | each, x[0].add_(x[1])),
      BINARY(writes | each, x[0].mul_(x[1])),
      BINARY(writes | each, x[0].copy_(x[1])),
      UNARY_AT(writes, set_row(x[0], n[0], 0.25)),
      UNARY(writes | rare | draws, x[0].normal_()),
      // with parameters and buffers
      LAYER(align, linear_members, at::linear(x[0], x[1], x[2])),
      LAYER(align, linear_members, at::linear(x[0], x[1], x[2]).relu()),
      LAYER(align, linear_back_members, x[0].matmul(x[1].t())),
      LAYER(align, conv1d_members, at::conv1d(x[0], x[1], x[2])),
      LAYER(align, conv2d_members, at::conv2d(x[0], x[1], x[2], 1, 1)),
      LAYER(none, batch_norm_members, at::batch_norm(x[0], x[1], x[2], x[3], x[4], on.training, 0.1, 1e-5, true)),
      LAYER(align, last_members, at::layer_norm(x[0], {x[0].size(-1)}, x[1], x[2])),
      LAYER(align, channel_members, at::group_norm(x[0], 1, x[1], x[2])),
      LAYER(none, row_member, x[0] * x[1]),
      LAYER(none, row_member, x[0] + x[1]),
      LAYER(none, prelu_members, at::prelu(x[0], x[1])),
      LAYER(none, embedding_members, at::embedding(x[1], x[0].remainder(5))),
      LAYER(last, average_member, track(x[0], x[1])),
      LAYER(rare | repeats | align, lstm_members, lstm(x[0], {x[1], x[2], x[3], x[4]}, on.training)),
      // random
      UNARY(view | draws | align, at::dropout(x[0], 0.5, on.training)),
      UNARY(draws, x[0] * at::rand_like(x[0])),
      UNARY(draws, x[0] + at::randn_like(x[0])),
      UNARY(cuts | draws, at::bernoulli(x[0].detach().nan_to_num().sigmoid())),
      UNARY(draws, shuffled_rows(x[0])),
      // what no graph can hold
      UNARY(rare, x[0] * x[0].detach().sum().item()),
      UNARY(rare, branch_on_value(x[0])),
      UNARY(rare, x[0].masked_select(x[0] > 0)),
  };
}

}  // namespace

const std::vector<operation>& operations() {
  static const std::vector<operation> all = make_operations();
  return all;
}

}  // namespace graphed::fuzz
