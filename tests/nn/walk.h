// SPDX-License-Identifier: Apache-2.0
//
// One module of torch::nn as a graphed callable: called in train and eval mode, with and without gradients, beside the original module.
#pragma once

#include "support/device_test.h"

#include <torch/nn.h>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace graphed::testing {

/// An argument of a module's forward, and what each call fills it with.
struct sample {
  argument spec;
  std::function<at::Tensor(const scenario&)> make;
};
sample real(std::vector<int64_t> shape);                              ///< normally distributed, requires grad
sample constant(std::vector<int64_t> shape);                          ///< the same without grad
sample whole(std::vector<int64_t> shape);                             ///< whole numbers from -4 to 4 as floats, requires grad
sample probability(std::vector<int64_t> shape, bool grad = false);    ///< between 0.05 and 0.95
sample sign(std::vector<int64_t> shape);                              ///< -1 or 1 as floats
sample index(std::vector<int64_t> shape, int64_t low, int64_t high);  ///< i64 from [low, high)

/// A module and how its forward is called.
struct called_module {
  std::shared_ptr<torch::nn::Module> module;
  test_callable::body forward;
};
using module_maker = std::function<called_module()>;

inline void append(tensor_list& all, const at::Tensor& tensor) { all.push_back(tensor); }
inline void append(tensor_list& all, const torch::nn::ASMoutput& result) { all.push_back(result.output); }  // its loss is a number
template <class... Parts>
void append(tensor_list& all, const std::tuple<Parts...>& parts) {
  std::apply([&](const auto&... part) { (append(all, part), ...); }, parts);
}
/// The tensors of a forward's result, in their order.
template <class Result>
tensor_list flat(const Result& result) {
  tensor_list all;
  append(all, result);
  return all;
}

template <class Holder, std::size_t... I>
tensor_list forward(Holder& module, const tensor_list& in, std::index_sequence<I...>) {
  return flat(module->forward(in[I]...));
}
/// `forward` with `Arity` tensors.
template <std::size_t Arity = 1, class Holder>
called_module calling(Holder module) {
  return {module.ptr(), [module](tensor_list& in) mutable { return forward(module, in, std::make_index_sequence<Arity>()); }};
}

/// What a row of the table expects beyond equal bits.
struct expected {
  bool gradients = true;     ///< results require grad
  bool exact_sums = false;   ///< gradients are whole numbers: atomic additions give the same bits in any order
  uint64_t graphed = 2;      ///< in how many modes, train and eval, the backward is a graph
  bool in_eval_mode = true;  ///< the backward is called in eval mode as well
};
inline constexpr expected without_gradients{/*gradients=*/false, /*exact_sums=*/false, /*graphed=*/0};
/// On CUDA an operator of its backward adds atomically, and has no deterministic form.
inline constexpr expected with_exact_sums{/*gradients=*/true, /*exact_sums=*/true};
/// In eval mode the result is the argument itself.
inline constexpr expected that_only_trains{/*gradients=*/true, /*exact_sums=*/false, /*graphed=*/1};
/// The result is the argument itself, or the capture of the backward is refused.
inline constexpr expected without_graphed_backward{/*gradients=*/true, /*exact_sums=*/false, /*graphed=*/0};

/// Calls the module eagerly and graphed; expects the same results, gradients of arguments and parameters, buffers and random state. The
/// calls after the warm-ups must be replays, forward and backward.
void walk(c10::Device device, const module_maker& make, const std::vector<sample>& samples, expected expected = {});

/// The same, for a module that cannot be captured: all calls are eager's, and one warning contains `parts`.
void expect_refused(c10::Device device, const module_maker& make, const std::vector<sample>& samples,
                    const std::vector<std::string>& parts);

/// Deterministic algorithms, where LibTorch has them.
class module_test : public device_test {
 protected:
  void SetUp() override;
  void TearDown() override;

 private:
  bool deterministic_ = false;
  bool warn_only_ = false;
};

}  // namespace graphed::testing

/// The fixture `Suite`, whose tests are rows of the table: each is named as the module that it walks, or begins with its name and a `_`.
#define GRAPHED_MODULE_TEST_SUITE(Suite)                 \
  class Suite : public graphed::testing::module_test {}; \
  INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); })
