// SPDX-License-Identifier: Apache-2.0
//
// TorchScript modules inside callables: loaded from a file's bytes, trained, with state, replaced, and in modes of their own.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/optim/sgd.h>

#include <torch/csrc/jit/api/module.h>
#include <torch/jit.h>
#include <torch/script.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <vector>

namespace scripts {

using at::Tensor;

constexpr int64_t kRows = 4, kInputs = 8, kHidden = 16, kOutputs = 3;

constexpr auto kNetwork = R"(
def forward(self, x):
    hidden = torch.dropout(torch.relu(torch.addmm(self.bias, x, self.first)), 0.5, self.training)
    return torch.tanh(torch.mm(hidden, self.second)) * self.scale
)";

torch::jit::Module network(c10::Device device) {
  torch::jit::Module made("network");
  made.register_parameter("first", torch::randn({kInputs, kHidden}), /*is_buffer=*/false);
  made.register_parameter("bias", torch::randn({kHidden}), /*is_buffer=*/false);
  made.register_parameter("second", torch::randn({kHidden, kOutputs}), /*is_buffer=*/false);
  made.register_attribute("scale", c10::FloatType::get(), 2.0);
  made.register_attribute("training", c10::BoolType::get(), false);
  made.define(kNetwork);
  made.to(device);
  made.eval();
  return made;
}

/// What another program has saved.
std::string saved_network(c10::Device device) {
  std::ostringstream bytes;
  network(device).save(bytes);
  return bytes.str();
}

torch::jit::Module load(const std::string& bytes, c10::Device device) {
  std::istringstream in(bytes);
  torch::jit::Module loaded = torch::jit::load(in, device);
  loaded.eval();
  return loaded;
}

/// A server that may get another model.
class Server {
 public:
  explicit Server(torch::jit::Module model) : model_(std::move(model)) {}

  GRAPHED(x: f32[kRows, kInputs])
  Tensor answer(const Tensor& x) { return model_.forward({x}).toTensor().softmax(-1); }

  torch::jit::Module& model() { return model_; }

 private:
  torch::jit::Module model_;
};

/// The module is an argument.
GRAPHED(model: object, x: f32[kRows, kInputs])
Tensor answer_by(torch::jit::Module& model, const Tensor& x) { return model.forward({x}).toTensor() + 1; }

/// One that C++ trains.
struct Learner {
  explicit Learner(c10::Device device) : model(network(device)) {
    model.train();
    for (const Tensor& each : model.parameters()) {
      parameters.push_back(each.requires_grad_());
    }
    optimizer = std::make_unique<graphed::optim::SGD>(parameters, torch::optim::SGDOptions(0.05));
  }

  GRAPHED(x: f32[kRows, kInputs], y: f32[kRows, kOutputs]; step)
  Tensor learn(const Tensor& x, const Tensor& y) {
    optimizer->zero_grad();
    const Tensor loss = torch::mse_loss(model.forward({x}).toTensor(), y);
    loss.backward();
    optimizer->step();
    return loss.detach();
  }

  torch::jit::Module model;
  std::vector<Tensor> parameters;
  std::unique_ptr<graphed::optim::SGD> optimizer;
};

constexpr auto kRecurrent = R"(
def forward(self, x):
    self.state = torch.tanh(self.state * 0.5 + x)
    return self.state * 2
)";

/// A script that assigns one of its own tensors in each call. No graph holds that, and no call is captured.
struct Remembering {
  explicit Remembering(c10::Device device) : model("remembering") {
    model.register_buffer("state", torch::zeros({kInputs}));
    model.define(kRecurrent);
    model.to(device);
  }

  GRAPHED(x: f32[kInputs])
  Tensor next(const Tensor& x) { return model.forward({x}).toTensor(); }

  torch::jit::Module model;
};

constexpr auto kBranch = R"(
def forward(self, x):
    if bool(x.sum() > 0):
        return x * 2
    return x - 1
)";

/// A script that reads a value on the host.
struct Branching {
  Branching() : model("branching") { model.define(kBranch); }

  GRAPHED(x: f32[kInputs])
  Tensor choose(const Tensor& x) { return model.forward({x}).toTensor(); }

  torch::jit::Module model;
};

}  // namespace scripts

#include "scripts_test.graphed.h"

namespace scripts {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Scripts);

// Its first calls profile, then optimize: nothing was called before.
TEST_P(Scripts, LoadedAndFrozen) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server(torch::jit::freeze(load(saved_network(run.device()), run.device())));
    program<&Server::answer> answer(run, server);
    for (int call = 0; call < 12; ++call) {
      run.see("answer", answer(run.random({kRows, kInputs})));
    }
    if (run.graphed()) {
      EXPECT_GE(answer.stats().replays, 6U) << answer.explain();
      EXPECT_EQ(answer.stats().miss_count(), 0U) << answer.explain();
    }
  });
}

TEST_P(Scripts, WithParametersThatChangeInPlace) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server(network(run.device()));
    program<&Server::answer> answer(run, server);
    for (int call = 0; call < 12; ++call) {
      run.see("answer", answer(run.random({kRows, kInputs})));
      server.model().attr("bias").toTensor().add_(0.25);
    }
    if (run.graphed()) {
      EXPECT_GE(answer.stats().replays, 6U) << answer.explain();
      EXPECT_EQ(answer.stats().captures, 1U) << answer.explain();
    }
  });
}

TEST_P(Scripts, ReplacedByAnotherModule) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    const std::string bytes[] = {saved_network(run.device()), saved_network(run.device())};
    Server server(load(bytes[0], run.device()));
    program<&Server::answer> answer(run, server);
    for (int call = 0; call < 40; ++call) {
      if (call % 10 == 9) {
        server.model() = torch::jit::Module();
        server.model() = torch::jit::freeze(load(bytes[call / 10 % 2 ^ 1], run.device()));
      }
      run.see("answer", answer(run.random({kRows, kInputs})));
    }
    if (run.graphed()) {
      EXPECT_EQ(answer.stats().captures, 4U) << answer.explain();
      EXPECT_GE(answer.stats().replays, 12U) << answer.explain();
    }
  });
}

TEST_P(Scripts, AttributesSelectCaptures) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server(network(run.device()));
    program<&Server::answer> answer(run, server);
    for (int call = 0; call < 32; ++call) {
      server.model().train(call / 8 % 2 == 1);
      if (call == 16) {
        server.model().setattr("scale", 0.5);
      }
      run.see("answer", answer(run.random({kRows, kInputs})));
    }
    if (run.graphed()) {
      EXPECT_EQ(answer.stats().captures, 4U) << answer.explain();
      EXPECT_EQ(answer.stats().miss_count(), 0U) << answer.explain();
    }
  });
}

TEST_P(Scripts, AsAnArgument) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    torch::jit::Module models[] = {network(run.device()), network(run.device())};
    program<&answer_by> answer(run);
    for (int call = 0; call < 24; ++call) {
      run.see("answer", answer(models[call % 2], run.random({kRows, kInputs})));
      if (call == 16) {
        models[0] = network(run.device());
      }
    }
    if (run.graphed()) {
      EXPECT_EQ(answer.stats().captures, 2U) << answer.explain();
      EXPECT_EQ(answer.stats().miss_count(), 0U) << answer.explain();
    }
  });
}

TEST_P(Scripts, Learns) {
  expect_same([](scenario& run) {
    Learner learner(run.device());
    program<&Learner::learn> learn(run, learner);
    for (int step = 0; step < 12; ++step) {
      run.see("loss", learn(run.random({kRows, kInputs}), run.random({kRows, kOutputs})));
    }
    for (const Tensor& each : learner.parameters) {
      run.see("parameter", each);
    }
    if (run.graphed()) {
      EXPECT_GE(learn.stats().replays, 6U) << learn.explain();
      EXPECT_EQ(learn.stats().miss_count(), 0U) << learn.explain();
    }
  });
}

TEST_P(Scripts, KeepsAStateOfItsOwn) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Remembering net(run.device());
    program<&Remembering::next> next(run, net);
    for (int call = 0; call < 12; ++call) {
      run.see("result", next(run.random({kInputs})));
      run.see("state", net.model.attr("state").toTensor());
    }
    if (run.graphed()) {
      EXPECT_EQ(next.stats().replays, 0U) << next.explain();
      EXPECT_NE(next.explain().find("the script in the member 'model' of its object assigns one of its tensors"), std::string::npos)
          << next.explain();
    }
  });
}

TEST_P(Scripts, ReadsAValueOnTheHost) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Branching net;
    program<&Branching::choose> choose(run, net);
    for (int call = 0; call < 8; ++call) {
      run.see("result", choose(run.random({kInputs})));
    }
    if (run.graphed()) {
      EXPECT_EQ(choose.stats().replays, 0U);
      EXPECT_NE(choose.explain().find("aten::_local_scalar_dense"), std::string::npos) << choose.explain();
    }
  });
}

TEST_P(Scripts, PreparedAheadOfTheFirstCall) {
  expect_same([](scenario& run) {
    const torch::NoGradGuard no_grad;
    Server server(network(run.device()));
    program<&Server::answer> answer(run, server);
    answer.prepare(run.random({kRows, kInputs}));
    for (int call = 0; call < 4; ++call) {
      run.see("answer", answer(run.random({kRows, kInputs})));
    }
    if (run.graphed()) {
      EXPECT_EQ(answer.stats().replays, 4U) << answer.explain();
    }
  });
}

}  // namespace scripts
