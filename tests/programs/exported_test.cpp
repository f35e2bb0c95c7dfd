// SPDX-License-Identifier: Apache-2.0
//
// Models that AOTInductor has compiled, inside callables. GRAPHED_TEST_MODELS names a folder that export.py has written for the device:
// tests/programs/exported.sh does both.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/capture.h>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

namespace exported {

using at::Tensor;
using Loader = torch::inductor::AOTIModelPackageLoader;

constexpr int64_t kImages = 2, kSize = 8;

std::string folder() {
  const char* const named = std::getenv("GRAPHED_TEST_MODELS");
  return named == nullptr ? "" : named;
}

std::shared_ptr<Loader> load() { return std::make_shared<Loader>(folder() + "/net.pt2", "model", /*run_single_threaded=*/true); }

/// A server whose model may be replaced.
class Server {
 public:
  Server() : model(load()) {}

  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor features(const Tensor& images) { return model->run({images})[0]; }
  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor scores(const Tensor& images) { return model->run({images * 0.5})[1].softmax(-1); }
  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor energy(const Tensor& images) { return model->run({images})[2] * 2; }
  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor counted(const Tensor& images) { return model->run({images})[3] + 1; }
  /// A result of operators that the model changes in place.
  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor after_operators(const Tensor& images) {
    const Tensor input = images + 1;
    return input + model->run({input})[0].sum();
  }
  /// Without the model.
  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor plain(const Tensor& images) const { return (images * 2).relu() + offset; }

  std::shared_ptr<Loader> model;
  Tensor offset;
};

/// A member of a module, which LibTorch does not register.
struct HeadImpl : torch::nn::Module {
  HeadImpl() { register_module("last", last); }

  GRAPHED(images: f32[kImages, 3, kSize, kSize])
  Tensor forward(const Tensor& images) { return last(body.run({images})[1]); }

  Loader body{folder() + "/net.pt2", "model", /*run_single_threaded=*/true};
  torch::nn::Linear last{5, 2};
};
TORCH_MODULE(Head);

}  // namespace exported

#include "exported_test.graphed.h"

namespace exported {

using programs::program;
using programs::scenario;

constexpr auto kWhyNot = "it computes outside of LibTorch's operators, as a compiled model does on a CPU: a tape cannot record that";

class Exported : public graphed::testing::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (folder().empty()) {
      GTEST_SKIP() << "GRAPHED_TEST_MODELS names no folder";
    }
  }
};
GRAPHED_INSTANTIATE_DEVICE_TESTS(Exported);

/// On CUDA a graph holds the model. On a CPU no call is captured, and each has the original function's results.
template <class Program>
void expect_graphed(const scenario& run, const Program& call, uint64_t replays, uint64_t captures = 1) {
  if (!run.graphed()) {
    return;
  }
  if (run.device().is_cuda()) {
    EXPECT_EQ(call.stats().replays, replays) << call.explain();
    EXPECT_EQ(call.stats().captures, captures) << call.explain();
    EXPECT_EQ(call.stats().miss_count(), 0U) << call.explain();
  } else {
    EXPECT_EQ(call.stats().captures, 0U) << call.explain();
    EXPECT_EQ(call.stats().failed_captures, 0U) << call.explain();  // a try would run a model with a state once more
    EXPECT_NE(call.explain().find(kWhyNot), std::string::npos) << call.explain();
  }
}

template <auto Method>
void call_of_server(scenario& run) {
  const torch::NoGradGuard no_grad;
  Server server;
  program<Method> call(run, server);
  for (int i = 0; i < 8; ++i) {
    run.see("result", call(run.random({kImages, 3, kSize, kSize})));
  }
  expect_graphed(run, call, /*replays=*/5);
}

TEST_P(Exported, ResultsAsTheyAre) { expect_same(call_of_server<&Server::features>); }
TEST_P(Exported, BetweenOperators) { expect_same(call_of_server<&Server::scores>); }
TEST_P(Exported, ANumberThatOperatorsUse) { expect_same(call_of_server<&Server::energy>); }
TEST_P(Exported, KeepsAStateOfItsOwn) { expect_same(call_of_server<&Server::counted>); }
TEST_P(Exported, OfResultsOfOperators) { expect_same(call_of_server<&Server::after_operators>); }

// Warm-ups show the number of the model as if it stayed.
TEST_P(Exported, ANumberThatIsTheSameInEachWarmUp) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server;
    program<&Server::energy> energy(run, server);
    const Tensor images = run.random({kImages, 3, kSize, kSize});
    for (int i = 0; i < 8; ++i) {
      run.see("energy", energy(i < 5 ? images : images * 2));
    }
    expect_graphed(run, energy, /*replays=*/5);
  });
}

// A process that has a model loaded captures on a CPU what does not run it.
TEST_P(Exported, BesideACallableWithoutAModel) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server;
    server.offset = run.random({kSize});
    program<&Server::plain> plain(run, server);
    for (int i = 0; i < 8; ++i) {
      run.see("result", plain(run.random({kImages, 3, kSize, kSize})));
    }
    plain.expect(/*warmups=*/3, /*replays=*/5);
  });
}

TEST_P(Exported, InAModule) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Head head;
    head->to(run.device());
    program<&HeadImpl::forward> forward(run, *head);
    for (int i = 0; i < 8; ++i) {
      run.see("result", forward(run.random({kImages, 3, kSize, kSize})));
    }
    expect_graphed(run, forward, /*replays=*/5);
  });
}

TEST_P(Exported, AnotherModelIsCapturedAgain) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server;
    program<&Server::counted> counted(run, server);
    for (int i = 0; i < 16; ++i) {
      if (i == 8) {
        server.model.reset();
        server.model = load();
      }
      run.see("result", counted(run.random({kImages, 3, kSize, kSize})));
    }
    expect_graphed(run, counted, /*replays=*/10, /*captures=*/2);
  });
}

// Into the memory that the model has: replays read it.
TEST_P(Exported, ConstantsThatAreUpdatedInPlace) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server;
    program<&Server::scores> scores(run, server);
    for (int i = 0; i < 12; ++i) {
      if (i == 6) {
        std::unordered_map<std::string, Tensor> constants{{"convolution.weight", run.random({4, 3, 3, 3})}};
        server.model->load_constants(constants, /*use_inactive=*/false, /*check_full_update=*/false);
      }
      run.see("scores", scores(run.random({kImages, 3, kSize, kSize})));
    }
    expect_graphed(run, scores, /*replays=*/9);
  });
}

TEST_P(Exported, PreparedAndReset) {
  const torch::NoGradGuard no_grad;
  const auto options = at::TensorOptions(device());
  Server server;
  graphed::callable<&Server::scores> scores(server);
  const Tensor images = at::ones({kImages, 3, kSize, kSize}, options);
  if (device().is_cpu()) {
    EXPECT_THROW(scores.prepare(images), graphed::CaptureError);
    return;
  }
  scores.prepare(images);
  EXPECT_TRUE(at::equal(scores(images), server.scores(images)));
  EXPECT_EQ(scores.stats().replays, 1U);
  scores.reset();
  for (int i = 0; i < 6; ++i) {
    const Tensor now = images * i;
    EXPECT_TRUE(at::equal(scores(now), server.scores(now)));
  }
  EXPECT_EQ(scores.stats().replays, 3U) << scores.explain();
}

// It records an event and asks for it in the next call. A capture would leave that event, and with it the model, useless.
TEST_P(Exported, OfSeveralThreadsIsNotCaptured) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server;
    server.model = std::make_shared<Loader>(folder() + "/net.pt2", "model", /*run_single_threaded=*/false);
    program<&Server::scores> scores(run, server);
    for (int i = 0; i < 10; ++i) {
      run.see("scores", scores(run.random({kImages, 3, kSize, kSize})));
    }
    if (run.graphed()) {
      EXPECT_EQ(scores.stats().captures + scores.stats().failed_captures, 0U) << scores.explain();
      EXPECT_NE(scores.explain().find("load it with run_single_threaded"), std::string::npos) << scores.explain();
    }
  });
}

TEST_P(Exported, InAGraphOfOnesOwn) {
  const torch::NoGradGuard no_grad;
  const auto model = load();
  const Tensor images = at::ones({kImages, 3, kSize, kSize}, at::TensorOptions(device()));
  Tensor result = model->run({images})[1];
  graphed::Graph graph(device());
  const auto capture = [&] {
    const graphed::CaptureGuard guard(graph);
    result = model->run({images})[1] * 2;
  };
  if (device().is_cpu()) {
    EXPECT_THROW(capture(), graphed::CaptureError);
    return;
  }
  capture();
  graphed::ExecutableGraph executable = graph.instantiate();
  images.fill_(3);
  executable.replay();
  EXPECT_TRUE(at::equal(result, model->run({images})[1] * 2));
}

}  // namespace exported
