// SPDX-License-Identifier: Apache-2.0
//
// Collectives of several ranks in graphed callables: bits are those of the eager program, and of one process that has all ranks' data.
#include "support/ranks.h"
#include "support/test_callable.h"
#include "support/warnings.h"

#include <graphed/clip_grad.h>
#include <graphed/grad_scaler.h>
#include <graphed/optim/adam.h>
#include <graphed/optim/sgd.h>

#include <torch/nn.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <thread>

namespace distributed_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class Distributed : public ::testing::TestWithParam<const char*> {
 protected:
  void run(const char* program, int ranks) {
    const std::string device = GetParam();
    if (const std::string why = too_few_devices(device, ranks); !why.empty()) {
      GTEST_SKIP() << why;
    }
    expect_ranks_end_well(program, ranks, device);
  }
};
INSTANTIATE_TEST_SUITE_P(, Distributed, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

void require_same(const Tensor& got, const Tensor& wanted, const std::string& what) {
  require_that(torch::equal(got, wanted), what + ", of shape " + std::to_string(wanted.numel()));
}

/// NCCL adds the values of more than two ranks in an order of its own.
void require_same_sum(const ProcessGroup& group, const Tensor& got, const Tensor& wanted, const std::string& what) {
  const bool is_exact = group.device().is_cpu() || group.size() == 2;
  require_that(is_exact ? torch::equal(got, wanted) : torch::allclose(got, wanted, 1e-4, 1e-5), what);
}

struct batch {
  Tensor x, y;
};

/// That of a rank in a step, the same in every process.
batch batch_of(int step, int rank, c10::Device device) {
  at::manual_seed(static_cast<uint64_t>(1000 * step + rank));
  return {at::randn({4, 6}).to(device), at::randn({4, 2}).to(device)};
}

torch::nn::Sequential make_net(c10::Device device) {
  torch::nn::Sequential net(torch::nn::Linear(6, 16), torch::nn::Tanh(), torch::nn::Linear(16, 2));
  net->to(device);
  return net;
}

void copy_parameters(const torch::nn::Sequential& to, const torch::nn::Sequential& from) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < to->parameters().size(); ++i) {
    to->parameters()[i].copy_(from->parameters()[i]);
  }
}

/// A network and its optimizer.
struct model {
  explicit model(c10::Device device) : net(make_net(device)), optimizer(net->parameters(), optim::AdamOptions(0.01)) {}

  Tensor loss_of(const Tensor& x, const Tensor& y) { return (net->forward(x) - y).square().mean(); }
  /// Of a rank: its batch, in so many microbatches, of which the last one averages.
  tensor_list step(ProcessGroup& group, const tensor_list& in, int64_t microbatches) {
    optimizer.zero_grad();
    Tensor sum;
    for (int64_t i = 0; i < microbatches; ++i) {
      const Tensor loss = loss_of(in[0].chunk(microbatches)[i], in[1].chunk(microbatches)[i]) / microbatches;
      loss.backward();
      sum = sum.defined() ? sum + loss.detach() : loss.detach();
    }
    group.average_gradients(*net);
    const Tensor norm = clip_grad_norm_(net->parameters(), 0.5);
    optimizer.step();
    return {sum, norm};
  }
  /// Of one process that has the batches of all ranks.
  void step_of_all(int step, int ranks, c10::Device device, int64_t microbatches) {
    std::vector<Tensor> sums;
    for (int rank = 0; rank < ranks; ++rank) {
      optimizer.zero_grad();
      const batch part = batch_of(step, rank, device);
      for (int64_t i = 0; i < microbatches; ++i) {
        (loss_of(part.x.chunk(microbatches)[i], part.y.chunk(microbatches)[i]) / microbatches).backward();
      }
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        const Tensor& gradient = net->parameters()[i].grad();
        rank == 0 ? sums.push_back(gradient.clone()) : static_cast<void>(sums[i].add_(gradient));
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      net->parameters()[i].mutable_grad() = sums[i].div_(ranks);
    }
    clip_grad_norm_(net->parameters(), 0.5);
    optimizer.step();
  }
  torch::nn::Sequential net;
  optim::Adam optimizer;
};

settings of_a_step() {
  settings made;
  made.step = true;
  return made;
}

const std::vector<argument> arguments{{"x", {4, 6}}, {"y", {4, 2}}};

void train(ProcessGroup& group, int steps, int64_t microbatches) {
  model graphed(group.device()), plain(group.device()), alone(group.device());
  group.broadcast(*graphed.net);
  copy_parameters(plain.net, graphed.net);
  copy_parameters(alone.net, graphed.net);
  test_callable step(arguments, [&](tensor_list& in) { return graphed.step(group, in, microbatches); }, of_a_step(), graphed.net.get());
  for (int i = 0; i < steps; ++i) {
    const batch own = batch_of(i, group.rank(), group.device());
    const tensor_list got = step({own.x, own.y});
    const tensor_list wanted = plain.step(group, {own.x, own.y}, microbatches);
    alone.step_of_all(i, group.size(), group.device(), microbatches);
    require_same(got[0], wanted[0], "the loss of the plain step " + std::to_string(i));
    require_same(got[1], wanted[1], "the norm of the plain step " + std::to_string(i));
  }
  const auto parameters = graphed.net->named_parameters();
  for (const auto& parameter : parameters) {
    require_same(parameter.value(), plain.net->named_parameters()[parameter.key()], "the plain program's " + parameter.key());
    require_same_sum(group, parameter.value(), alone.net->named_parameters()[parameter.key()], "one process's " + parameter.key());
  }
  group.check_parameters(*graphed.net);
  require_that(step.stats().replays == static_cast<uint64_t>(steps - 2), "a replay for each step but two, got " + step.stats().to_json());
}

GRAPHED_RANK_PROGRAM(trains) {
  train(group, 100, 1);
  train(group, 10, 2);
  group.shutdown();
}

GRAPHED_RANK_PROGRAM(broadcasts) {
  at::manual_seed(static_cast<uint64_t>(group.rank()));
  model own(group.device());
  own.net->push_back(torch::nn::BatchNorm1d(2));
  own.net->to(group.device());
  require_error([&] { group.check_parameters(*own.net); }, "'0.weight' of rank 1 has other bits than that of rank 0");
  require_error(
      [&] {
        own.loss_of(at::ones({2, 6}, at::TensorOptions(group.device())), at::ones({2, 2}, at::TensorOptions(group.device()))).backward();
        group.average_gradients(*own.net);
      },
      "the first average_gradients: '0.weight' of rank 1 has other bits");
  group.broadcast(*own.net, 1);
  group.check_parameters(*own.net);
  at::manual_seed(1);
  const model of_rank_1(group.device());
  require_same(own.net->parameters()[0], of_rank_1.net->parameters()[0], "the weight of rank 1");
  group.barrier();
}

GRAPHED_RANK_PROGRAM(moves) {
  const auto options = at::TensorOptions(at::kFloat).device(group.device());
  const int64_t size = group.size(), rank = group.rank();
  test_callable f({{"x", {2}}}, [&](tensor_list& in) {
    const Tensor x = in[0] * 2, all = at::empty({2 * size}, options), part = at::empty({2}, options);
    group.all_gather_into(all, x);
    group.reduce_scatter_into(part, all * (rank + 1));
    const Tensor sent = x + 1, least = x.clone(), most = x.clone(), product = x.clone(), apart = x.narrow(0, 0, 1).clone();
    group.broadcast_({sent, apart}, 1);
    group.all_reduce_(least, ReduceOp::Min);
    group.all_reduce_(most, ReduceOp::Max);
    group.all_reduce_(product, ReduceOp::Product);
    return tensor_list{all, part, sent, apart, least, most, product};
  });
  for (int call = 0; call < 8; ++call) {
    const auto x_of = [&](int64_t of) { return at::arange(2, options) + static_cast<double>(10 * of + call + 1); };
    const tensor_list got = f({x_of(rank)});
    std::vector<Tensor> doubled;
    for (int64_t of = 0; of < size; ++of) {
      doubled.push_back(x_of(of) * 2);
    }
    const Tensor stacked = at::stack(doubled);
    require_same(got[0], at::cat(doubled), "what all ranks gave");
    require_same(got[1], doubled[static_cast<std::size_t>(rank)] * (size * (size + 1) / 2), "a part of the sum");
    require_same(got[2], doubled[1] + 1, "what rank 1 has sent");
    require_same(got[3], doubled[1].narrow(0, 0, 1), "the second tensor that rank 1 has sent");
    require_same(got[4], std::get<0>(stacked.min(0)), "the least");
    require_same(got[5], std::get<0>(stacked.max(0)), "the largest");
    require_that(torch::allclose(got[6], stacked.prod(0)), "the product");
  }
  require_that(f.stats().replays == 6, "six replays, got " + f.stats().to_json());
}

// An infinite gradient of one rank is infinite on all after the average: all leave the step out.
GRAPHED_RANK_PROGRAM(scales) {
  model own(group.device());
  group.broadcast(*own.net);
  optim::SGD optimizer(own.net->parameters(), 0.1);
  GradScaler scaler(group.device(), GradScalerOptions().init_scale(1024));
  test_callable step(
      arguments,
      [&](tensor_list& in) {
        optimizer.zero_grad();
        scaler.scale(own.loss_of(in[0], in[1])).backward();
        group.average_gradients(*own.net);
        scaler.step(optimizer);
        scaler.update();
        return tensor_list{};
      },
      of_a_step(), own.net.get());
  for (int i = 0; i < 8; ++i) {
    batch given = batch_of(i, group.rank(), group.device());
    if (i == 5 && group.rank() == 1) {
      given.x.fill_(std::numeric_limits<float>::infinity());
    }
    const Tensor before = own.net->parameters()[0].detach().clone();
    step({given.x, given.y});
    require_that(torch::equal(before, own.net->parameters()[0]) == (i == 5), "a step, but for that of the infinite gradient");
    require_that(scaler.get_scale() == (i < 5 ? 1024 : 512), "half the scale after it");
  }
  group.check_parameters(*own.net);
}

GRAPHED_RANK_PROGRAM(everything) {
  broadcasts(group);
  moves(group);
  scales(group);
  trains(group);
}

TEST_P(Distributed, OfTwoRanks) { run("everything", 2); }
TEST_P(Distributed, OfFourRanks) { run("everything", 4); }

/// One process that drives two devices, without collectives.
class TwoDevices : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = too_few_devices(GetParam(), 2); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, TwoDevices, ::testing::Values("cuda"), [](const auto& info) { return std::string(info.param); });

/// A thread whose exception is a failure of the test.
class tested_thread {
 public:
  explicit tested_thread(std::function<void()> body) : thread_([body = std::move(body)] { EXPECT_NO_THROW(body()); }) {}
  ~tested_thread() { thread_.join(); }
  tested_thread& operator=(tested_thread&&) = delete;

 private:
  std::thread thread_;
};

Tensor filled(std::vector<int64_t> shape, int value, c10::DeviceIndex device) {
  return at::full(shape, static_cast<double>(value), at::TensorOptions(at::kFloat).device(c10::kCUDA, device));
}

// While one is being captured, calls of the other run eagerly: it may take many until both are.
void use_a_callable_on(c10::DeviceIndex device) {
  const Tensor weight = filled({64, 64}, 1, device);
  const auto plain = [&](const Tensor& x) { return x.matmul(weight).relu().add(1); };
  test_callable f({{"x", {64, 64}}}, [&](tensor_list& in) { return tensor_list{plain(in[0])}; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (int call = 0; f.stats().replays < 20 && std::chrono::steady_clock::now() < end; ++call) {
    const Tensor x = filled({64, 64}, call % 100, device);
    EXPECT_TRUE(torch::equal(f({x})[0], plain(x))) << "device " << int{device} << ", call " << call;
  }
  EXPECT_EQ(f.stats().replays, 20U) << "device " << int{device} << ": " << f.stats();
  EXPECT_EQ(f.stats().failed_captures, 0U) << "device " << int{device} << ": " << f.stats();
}

TEST_P(TwoDevices, HaveACallableEach) {
  const tested_thread other([] { use_a_callable_on(1); });
  use_a_callable_on(0);
}

TEST_P(TwoDevices, AreKeysOfOneCallable) {
  test_callable f({{"x", {4}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
  for (int call = 0; call < 12; ++call) {
    const Tensor x = filled({4}, call, static_cast<c10::DeviceIndex>(call % 2));
    EXPECT_TRUE(torch::equal(f({x})[0], x * 2)) << call;
  }
  EXPECT_EQ(f.stats().captures, 2U) << f.stats();
}

TEST_P(TwoDevices, AreAMissWhereATensorIsOnTheOther) {
  const collected_warnings warnings;
  test_callable f({{"x", {4}}, {"y", {4}}}, [](tensor_list& in) { return tensor_list{in[0] * 2, in[1] * 3}; });
  for (int call = 0; call < 6; ++call) {
    const tensor_list got = f({filled({4}, 1, 0), filled({4}, 1, call < 5 ? 0 : 1)});
    EXPECT_TRUE(torch::equal(got[1].cpu(), at::full({4}, 3.0))) << call;
  }
  EXPECT_EQ(f.misses(Miss::Device), 1U) << f.stats();
  EXPECT_EQ(warnings.count({"parameter 'y': expected cuda:0, got cuda:1"}), 1U) << warnings.all();
}

}  // namespace distributed_test
