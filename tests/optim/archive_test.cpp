// SPDX-License-Identifier: Apache-2.0
//
// Saving and loading: with torch::optim's optimizers, into a graphed run, and to go on as if nothing had been.
#include "support/device_test.h"
#include "support/trainer.h"

#include <torch/serialize.h>

#include <sstream>

namespace archive_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Archive);

const std::vector<std::string> optimizers = {"sgd SGD lr=0.1 momentum=0.9 weight_decay=0.01",
                                             "plain SGD lr=0.1",
                                             "dampened SGD lr=0.1 momentum=0.9 dampening=0.5",
                                             "adam Adam lr=0.01 beta1=0.8 beta2=0.95",
                                             "amsgrad Adam lr=0.01 amsgrad=1",
                                             "adamw AdamW lr=0.01",
                                             "adagrad Adagrad lr=0.05 lr_decay=0.01",
                                             "rmsprop RMSprop lr=0.01",
                                             "centered RMSprop lr=0.01 momentum=0.5 centered=1"};

template <class T>
std::string saved(const T& value) {
  std::ostringstream out;
  torch::serialize::OutputArchive archive;
  value.save(archive);
  archive.save_to(out);
  return out.str();
}

template <class T>
void load(T& value, const std::string& bytes) {
  std::istringstream in(bytes);
  torch::serialize::InputArchive archive;
  archive.load_from(in);
  value.load(archive);
}

subject step_of(const scenario& run, trainer& trained) {
  return subject(run, {{"gradients", {elements}}}, [&trained](tensor_list& in) { return tensor_list{trained.step(in[0])}; });
}

/// torch::optim's optimizer over the parameters of `trained`.
std::unique_ptr<torch::optim::Optimizer> torchs(const std::string& line, trainer& trained) {
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector{trained.tensors()[0], trained.tensors()[1]});
  groups.emplace_back(std::vector{trained.tensors()[2]});
  auto made = make_torch_optimizer(parse_case(line), std::move(groups));
  made->param_groups()[1].options().set_lr(2 * parse_case(line).get("lr", 0));
  return made;
}

// torch::optim's operators round otherwise: close, and far from what another state would give.
void expect_close(const Tensor& a, const Tensor& b) { EXPECT_TRUE(at::allclose(a, b, 1e-4, 1e-6)) << (a - b).abs().max(); }

TEST_P(Archive, LibTorchGoesOnFromOurs) {
  for (const auto& line : optimizers) {
    SCOPED_TRACE(line);
    at::manual_seed(1);
    const Tensor initial = at::randn({elements}), gradients = at::randn({10, elements}, at::device(device()));
    trainer ours(parse_case(line), initial, device());
    for (int i = 0; i < 5; ++i) {
      ours.step(gradients[i]);
    }
    trainer theirs(parse_case(line), ours.parameters(), device());
    const auto other = torchs(line, theirs);
    load(*other, saved(static_cast<const torch::optim::Optimizer&>(ours.optimizer())));
    for (int i = 5; i < 10; ++i) {
      ours.step(gradients[i]);
      for (std::size_t p = 0; p < theirs.tensors().size(); ++p) {
        theirs.tensors()[p].mutable_grad() = ours.tensors()[p].grad().clone();
      }
      other->step();
      expect_close(theirs.parameters(), ours.parameters());
    }
  }
}

TEST_P(Archive, OursGoOnFromLibTorch) {
  for (const auto& line : optimizers) {
    SCOPED_TRACE(line);
    at::manual_seed(1);
    const Tensor initial = at::randn({elements}), gradients = at::randn({10, elements}, at::device(device()));
    trainer theirs(parse_case(line), initial, device()), ours(parse_case(line), initial, device());
    trainer splits(parse_case("plain SGD lr=0"), initial, device());
    const auto other = torchs(line, theirs);
    for (int i = 0; i < 10; ++i) {
      splits.step(gradients[i]);
      for (std::size_t p = 0; p < theirs.tensors().size(); ++p) {
        theirs.tensors()[p].mutable_grad() = splits.tensors()[p].grad().clone();
      }
      other->step();
      if (i > 4) {
        ours.step(gradients[i]);
        expect_close(theirs.parameters(), ours.parameters());
      }
      if (i == 4) {
        const c10::NoGradGuard no_grad;
        for (std::size_t p = 0; p < theirs.tensors().size(); ++p) {
          ours.tensors()[p].copy_(theirs.tensors()[p]);
        }
        load(static_cast<torch::optim::Optimizer&>(ours.optimizer()), saved(*other));
      }
    }
  }
}

TEST_P(Archive, AGraphedRunThatWasSavedGoesOnInAnother) {
  for (const auto& line : optimizers) {
    SCOPED_TRACE(line);
    at::manual_seed(1);
    const Tensor initial = at::randn({elements}), gradients = at::randn({20, elements}, at::device(device()));
    const scenario run(device(), true);
    trainer whole(parse_case(line), initial, device());
    auto step = step_of(run, whole);
    std::string bytes;
    Tensor halfway;
    for (int i = 0; i < 20; ++i) {
      if (i == 10) {
        bytes = saved(whole.optimizer());
        halfway = whole.parameters();
      }
      step({gradients[i]});
    }
    trainer rest(parse_case(line), halfway, device());
    auto other_step = step_of(run, rest);
    load(rest.optimizer(), bytes);
    for (int i = 10; i < 20; ++i) {
      other_step({gradients[i]});
    }
    EXPECT_TRUE(same_bits(rest.parameters(), whole.parameters()));
  }
}

TEST_P(Archive, StateLoadedAfterACaptureIsUsedByTheNextReplay) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      auto step = step_of(run, trained);
      std::string bytes;
      for (int i = 0; i < 12; ++i) {
        if (i == 3) {
          bytes = saved(trained.optimizer());
        }
        if (i == 8) {
          load(trained.optimizer(), bytes);
        }
        step({run.random({elements})});
        run.see("parameters", trained.parameters());
      }
      step.expect_captures(1);
      step.expect_replays(10);
    });
  }
}

TEST_P(Archive, AStateTensorThatIsReplacedIsNoticed) {
  expect_same([](scenario& run) {
    trainer trained(parse_case("adam Adam lr=0.01"), at::randn({elements}), run.device());
    auto step = step_of(run, trained);
    for (int i = 0; i < 10; ++i) {
      if (i == 5) {
        auto& state = *trained.optimizer().state().at(trained.tensors()[0].unsafeGetTensorImpl());
        auto& adam = static_cast<optim::AdamParamState&>(state);
        adam.exp_avg(at::ones_like(adam.exp_avg()));
      }
      step({run.random({elements})});
      run.see("parameters", trained.parameters());
    }
    step.expect_captures(2);
  });
}

TEST_P(Archive, OwnOptionsAreKept) {
  trainer from(parse_case("adam Adam lr=0.01 maximize=1 live=1"), at::zeros({elements}), device());
  trainer to(parse_case("adam Adam lr=0.02"), at::zeros({elements}), device());
  load(to.optimizer(), saved(from.optimizer()));
  const auto& options = static_cast<const optim::AdamOptions&>(to.optimizer().param_groups()[0].options());
  EXPECT_TRUE(options.maximize());
  EXPECT_TRUE(options.live());
  EXPECT_EQ(options.lr(), 0.01);
}

TEST_P(Archive, GroupsThatDifferAreRefused) {
  trainer from(parse_case("adam Adam lr=0.01"), at::zeros({elements}), device());
  const Tensor parameter = at::zeros({2}, at::device(device())).requires_grad_();
  optim::Adam to(std::vector{parameter}, optim::AdamOptions());
  EXPECT_THROW(load(to, saved(from.optimizer())), c10::Error);
}

TEST_P(Archive, AScalerGoesOn) {
  GradScaler from(device(), GradScalerOptions().init_scale(3).growth_interval(7));
  GradScaler to(device());
  load(to, saved(from));
  EXPECT_EQ(to.get_scale(), 3);
  EXPECT_EQ(to.options().growth_interval(), 7);
  GradScaler off(device(), GradScalerOptions().enabled(false));
  EXPECT_THROW(load(to, saved(off)), c10::Error);
}

}  // namespace archive_test
