// SPDX-License-Identifier: Apache-2.0
//
// What explain() shows of each key: its values, its state, its captures, and its misses.
#include "support/autocast.h"
#include "support/device_test.h"

#include <graphed/disable.h>
#include <graphed/make_graphed_callables.h>

#include <torch/nn/modules/linear.h>

#include <atomic>
#include <thread>

namespace explain_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class Explain : public device_test {
 protected:
  std::string here() const { return device().is_cpu() ? "cpu" : "cuda:0"; }
};
GRAPHED_INSTANTIATE_DEVICE_TESTS(Explain);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

/// Expects that `text` holds `part`.
void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "without\n" << part << "\nit is\n" << text;
}
void expect_without(const std::string& text, const std::string& part) { EXPECT_EQ(text.find(part), std::string::npos) << text; }

TEST_P(Explain, NothingBeforeTheFirstCall) {
  const test_callable f(arguments, layer);
  EXPECT_EQ(f.explain(), "graphed: test_callable (test.cpp:1): 0 calls: 0 warm-ups, 0 replays, 0 misses; holds 0 B\n");
}

TEST_P(Explain, WarmingUpThenCaptured) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  const std::string key = "\nkey 1: x: f32[16, 8], w: f32[8, 4] grad; " + here() + "\n  ";
  f({x, w});
  expect_holds(f.explain(), key + "warming up, 1 of 2\n");
  f({x, w});
  expect_holds(f.explain(), key + "to be captured by its next call\n");
  for (int call = 0; call < 3; ++call) {
    f({x, w})[0].backward(run.random({16, 4}));
  }
  f({x, w})[0].sum().backward();
  const std::string text = f.explain();
  expect_holds(text, ": 6 calls: 2 warm-ups, 4 replays, 0 misses; holds ");
  expect_holds(text, key + "captured; 1 slot, 4 replays\n  slot 1: forward; holds ");
  expect_holds(text, "    backward for gradients of result 0 f32[16, 4]; 3 replays\n");
  expect_holds(text, "    backward for gradients of result 0 f32[16, 4] with strides [0, 0]; 1 replay\n");
  expect_without(text, "  miss");
}

// The bytes of one slot are those that the callable holds.
TEST_P(Explain, Memory) {
  const scenario run(device(), true);
  test_callable f({{"x", {1024, 256}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  const Tensor x = run.random({1024, 256});
  for (int call = 0; call < 3; ++call) {
    f({x});
  }
  const uint64_t bytes = f.stats().bytes_held;
  ASSERT_GE(bytes, 2U << 20U);
  const std::string text = f.explain();
  const std::string first = "; holds ", slot = "slot 1: forward; holds ";
  const auto word_after = [&](const std::string& before) {
    const auto begin = text.find(before) + before.size();
    return text.substr(begin, text.find_first_of(",\n", begin) - begin);
  };
  EXPECT_EQ(word_after(first), word_after(slot)) << text;
  EXPECT_NE(word_after(slot).find(" MiB"), std::string::npos) << text;
}

TEST_P(Explain, EachKeyHasItsValues) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  enum class color { red, green };
  f({x, w}, Scalars().key("causal", true).key("n", 3).key("eps", 0.5).key("name", "relu").key("color", color::green));
  expect_holds(f.explain(), "; causal = true; n = 3; eps = 0.5; name = \"relu\"; color = 1; " + here() + "\n");
  {
    const c10::AutoGradMode no_grad(false);
    f({x, w}, Scalars().key("causal", false));
  }
  expect_holds(f.explain(), "key 2: x: f32[16, 8], w: f32[8, 4] grad; causal = false; " + here() + ", no grad\n");
  {
    const autocast on(device().type(), at::kBFloat16);
    f({x, w});
  }
  expect_holds(f.explain(), "key 3: x: f32[16, 8], w: f32[8, 4] grad; " + here() + ", autocast bf16\n");
}

TEST_P(Explain, ModulesAndWhatTheyTrain) {
  torch::nn::Linear net(8, 4);
  net->to(device());
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{net->forward(in[0])}; }, {}, net.get());
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  f({x});
  net->eval();
  f({x});
  expect_holds(f.explain(), "key 1: x: f32[16, 8]; " + here() + "; train\n");
  expect_holds(f.explain(), "key 2: x: f32[16, 8]; " + here() + "; eval\n");
}

TEST_P(Explain, EverySizeAndAbsentTensors) {
  const scenario run(device(), true);
  settings sizes;
  sizes.sizes = {4, 16};
  test_callable f(
      {{"x", {B, 8}}, {"bias", {8}, at::kFloat, false, false, flags::optional}},
      [](tensor_list& in) { return tensor_list{in[1].defined() ? in[0] + in[1] : in[0] * 2}; }, sizes);
  for (int call = 0; call < 3; ++call) {
    f({run.random({4, 8}), run.random({8})});
  }
  f({run.random({16, 8}), Tensor()});
  const std::string text = f.explain();
  expect_holds(text, "key 1: x: f32[4, 8], bias: f32[8] optional; " + here() + "\n  captured; 1 slot, 1 replay\n");
  expect_holds(text, "key 2: x: f32[16, 8], bias: f32[8] optional (absent); " + here() + "\n  warming up, 1 of 2\n");
}

TEST_P(Explain, RefusedAndWhy) {
  const scenario run(device(), true);
  test_callable f(arguments, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) * in[0].sum().item<float>()}; });
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  for (int call = 0; call < 3; ++call) {
    f({x, w});
  }
  expect_holds(f.explain(), "to be captured by its next call: the capture failed at operator aten::_local_scalar_dense (");
  for (int call = 0; call < 4; ++call) {
    f({x, w});
  }
  const std::string text = f.explain();
  expect_holds(text, "\n  refused: the capture failed at operator aten::_local_scalar_dense (");
  expect_holds(text, "\n  miss capture_failed: 5 calls\n");
}

TEST_P(Explain, ABackwardThatIsRefused) {
  const scenario run(device(), true);
  test_callable f(arguments, [](tensor_list& in) {
    const Tensor y = in[0].matmul(in[1]);
    y.register_hook([](const Tensor& gradient) { return gradient * gradient.sum().item<float>(); });
    return tensor_list{y.tanh()};
  });
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  for (int call = 0; call < 4; ++call) {
    f({x, w})[0].sum().backward();
  }
  expect_holds(f.explain(), "    a backward by eager autograd: its capture failed at operator aten::_local_scalar_dense (");
}

TEST_P(Explain, MissesByReasonWithExpectedAndGot) {
  const scenario run(device(), true);
  settings one_slot;
  one_slot.slots = 1;
  test_callable f(arguments, layer, one_slot);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  for (int call = 0; call < 3; ++call) {
    f({x, w});
  }
  const tensor_list awaits_its_backward = f({x, w});
  f({x, w});
  f({run.random({3, 8}), w});
  f({run.random({5, 8}), w});
  f({run.random({16, 8}, at::kDouble), run.leaf({8, 4}, at::kDouble)});
  {
    const DisableGuard scope;
    f({x, w});
  }
  const std::string text = f.explain();
  expect_holds(text, "\n  miss slots: 1 call; every slot (1) is in use, by a call that runs or awaits its backward: `slots = n` gives more\n");
  expect_holds(text, "\ncalls without a key\n  miss dtype: 1 call\n  miss shape: 2 calls\n  miss disabled: 1 call\n");
  expect_holds(text,
               "\nthe last arguments that did not match\n  w: dtype: expected f32, got f64\n  x: dtype: expected f32, got f64\n  x: shape: "
               "expected [16, 8], got [5, 8]\n");
  f.reset();
  EXPECT_EQ(f.explain().find("key"), std::string::npos) << f.explain();
}

TEST_P(Explain, TimesOfWarmUpsAndReplays) {
  const scenario run(device(), true);
  test_callable f({{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  const Tensor x = run.random({16, 8});
  for (int call = 0; call < 8; ++call) {
    f({x})[0].sum().item<float>();
  }
  expect_holds(f.explain(), " of 2 warm-ups, ");
  expect_holds(f.explain(), ", the fastest of each\n");
}

TEST_P(Explain, OfMakeGraphedCallables) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8});
  const auto f = make_graphed_callable([](const tensor_list& in) { return tensor_list{in[0].tanh()}; }, {x});
  f(x);
  expect_holds(f.explain(), "graphed: graphed: 1 call: 0 warm-ups, 1 replay, 0 misses; holds ");
  expect_holds(f.explain(), "key 1: arguments[0]: f32[16, 8]; " + here() + "\n  captured; 1 slot, 1 replay\n");
}

TEST_P(Explain, InsideOfTheCallableAndBesideOtherThreads) {
  const scenario run(device(), true);
  std::string inside;
  const test_callable* itself = nullptr;
  test_callable f(arguments, [&](tensor_list& in) {
    const tensor_list results = layer(in);
    inside = itself->explain();
    return results;
  });
  itself = &f;
  std::atomic<bool> ends{false};
  std::atomic<int> told{0};
  std::thread other([&] {
    while (!ends) {
      told += f.explain().empty() ? 0 : 1;
    }
  });
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  for (int call = 0; call < 50 || told < 10; ++call) {
    f({x, w})[0].sum().backward();
  }
  ends = true;
  other.join();
  expect_holds(inside, "to be captured by its next call");
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
}

}  // namespace explain_test
