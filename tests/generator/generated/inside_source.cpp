// SPDX-License-Identifier: Apache-2.0
//
// A source file that annotates its own callables, of external and internal linkage, and includes the code that is generated for it.
#include "compare.h"

#include <graphed/annotate.h>

#include <torch/nn/module.h>
#include <torch/types.h>

namespace inside {

GRAPHED(x: f32[4] grad)
at::Tensor cubed(const at::Tensor& x) { return x * x * x; }

namespace {

[[maybe_unused]] constexpr int64_t kSize = 3;  // by the compiler, which does not see the annotation

GRAPHED(x: f32[kSize] grad, negate: key)
at::Tensor hidden(const at::Tensor& x, bool negate = false) { return negate ? -x : x.exp(); }

enum class Direction { up, down };

GRAPHED(x: f32[2], direction: key)
at::Tensor moved(const at::Tensor& x, Direction direction = Direction::down) { return direction == Direction::up ? x + 1 : x - 1; }

struct Bias : torch::nn::Module {
  GRAPHED(x: f32[2])
  at::Tensor forward(const at::Tensor& x) { return x + bias; }

  at::Tensor bias = register_parameter("bias", torch::ones({2}));
};

struct Power {
  GRAPHED(x: f32[2] grad)
  at::Tensor operator()(const at::Tensor& x) const { return x.pow(exponent); }

  double exponent = 2.0;
};

class Trainer {
 public:
  explicit Trainer(Bias& model) : model_(model) {}

  GRAPHED(x: f32[2])
  at::Tensor run(const at::Tensor& x) { return model_.is_training() ? model_.forward(x) * factor_ : x; }

  void scale_by(double factor) { factor_ = factor; }
  static void expect_equal_shares();

 private:
  friend struct graphed::access;

  GRAPHED(x: f32[2])
  at::Tensor share(const at::Tensor& x) const { return x * factor_ / 2; }

  Bias& model_;
  double factor_ = 1;
};

}  // namespace

GRAPHED(x: f32[3] inplace)
static void doubled(at::Tensor& x) { x.mul_(2); }

// Of these, what the file uses is captured.
template <int64_t Size>
GRAPHED(x: f32[Size]) at::Tensor shifted(const at::Tensor& x) {
  return x + Size;
}

template <class Number>
struct Root {
  GRAPHED(x: f32[2])
  at::Tensor of(const at::Tensor& x) const { return x.abs().pow(1 / degree); }

  Number degree = 3;
};

// Its parameter has the name of the definition.
GRAPHED(x: f32[2])
at::Tensor defined_below(const at::Tensor&);
at::Tensor defined_below(const at::Tensor& x) { return x.cos(); }

}  // namespace inside

#include "inside_source.graphed.h"

void inside::Trainer::expect_equal_shares() {
  inside::Bias model;
  inside::Trainer trainer(model);
  graphed::callable<&inside::Trainer::share> fast(trainer);
  generated_tests::expect_equal_calls(
      {at::randn({2})}, [&](graphed::tensor_list& in) { return fast(in[0]); },
      [&](graphed::tensor_list& in) { return trainer.share(in[0]); });
}

namespace {

using generated_tests::expect_equal_calls;
using graphed::tensor_list;

TEST(GeneratedInSource, FunctionOfExternalLinkage) {
  graphed::callable<&inside::cubed> fast;
  expect_equal_calls(
      {at::randn({4}).requires_grad_()}, [&](tensor_list& in) { return fast(in[0]); },
      [](tensor_list& in) { return inside::cubed(in[0]); });
  EXPECT_GT(fast.stats().replays, 0U);
}

TEST(GeneratedInSource, FunctionInAnonymousNamespaceWithDefaultArgument) {
  graphed::callable<&inside::hidden> fast;
  expect_equal_calls(
      {at::randn({3}).requires_grad_()}, [&](tensor_list& in) { return fast(in[0]); },
      [](tensor_list& in) { return inside::hidden(in[0]); });
  expect_equal_calls(
      {at::randn({3}).requires_grad_()}, [&](tensor_list& in) { return fast(in[0], true); },
      [](tensor_list& in) { return inside::hidden(in[0], true); });
}

TEST(GeneratedInSource, EnumOfAnonymousNamespace) {
  graphed::callable<&inside::moved> fast;
  expect_equal_calls({at::randn({2})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return inside::moved(in[0]); });
}

TEST(GeneratedInSource, ModuleInAnonymousNamespace) {
  const auto module = std::make_shared<inside::Bias>();
  graphed::callable<&inside::Bias::forward> fast(module);
  expect_equal_calls(
      {at::randn({2})}, [&](tensor_list& in) { return fast(in[0]); }, [&](tensor_list& in) { return module->forward(in[0]); });
}

TEST(GeneratedInSource, FunctorInAnonymousNamespace) {
  const inside::Power power;
  graphed::callable<&inside::Power::operator()> fast(power);
  expect_equal_calls(
      {at::randn({2}).requires_grad_()}, [&](tensor_list& in) { return fast(in[0]); }, [&](tensor_list& in) { return power(in[0]); });
}

TEST(GeneratedInSource, PrivateMembersInAnonymousNamespace) {
  inside::Bias model;
  inside::Trainer trainer(model);
  graphed::callable<&inside::Trainer::run> fast(trainer);
  const auto expect_equal = [&] {
    expect_equal_calls({at::randn({2})}, [&](tensor_list& in) { return fast(in[0]); }, [&](tensor_list& in) { return trainer.run(in[0]); });
  };
  expect_equal();
  trainer.scale_by(3);
  expect_equal();
  model.eval();
  expect_equal();
}

TEST(GeneratedInSource, PrivateMethodInAnonymousNamespace) { inside::Trainer::expect_equal_shares(); }

TEST(GeneratedInSource, InstancesThatItUses) {
  graphed::callable<&inside::shifted<3>> fast;
  expect_equal_calls(
      {at::randn({3})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return inside::shifted<3>(in[0]); });
  EXPECT_GT(fast.stats().replays, 0U);
  const inside::Root<double> root;
  graphed::callable<&inside::Root<double>::of> of(root);
  expect_equal_calls({at::randn({2})}, [&](tensor_list& in) { return of(in[0]); }, [&](tensor_list& in) { return root.of(in[0]); });
  EXPECT_GT(of.stats().replays, 0U);
}

TEST(GeneratedInSource, ParameterWithTheNameOfTheDefinition) {
  graphed::callable<&inside::defined_below> fast;
  expect_equal_calls(
      {at::randn({2})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return inside::defined_below(in[0]); });
  EXPECT_GT(fast.stats().replays, 0U);
}

TEST(GeneratedInSource, StaticFunction) {
  graphed::callable<&inside::doubled> fast;
  expect_equal_calls({at::randn({3})}, [&](tensor_list& in) { fast(in[0]); }, [](tensor_list& in) { inside::doubled(in[0]); });
}

}  // namespace
