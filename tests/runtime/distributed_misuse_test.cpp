// SPDX-License-Identifier: Apache-2.0
//
// What people get wrong with several ranks, and gradients that are unlike most: right results, or a message, and never a hang.
#include "support/rank_failure.h"

#include <graphed/control_flow.h>
#include <graphed/error.h>

#include <ATen/ops/zeros_like.h>
#include <torch/nn.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <thread>

namespace distributed_misuse_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class DistributedMisuse : public rank_test {};
INSTANTIATE_TEST_SUITE_P(, DistributedMisuse, ::testing::Values("cpu", "cuda"), name_of_device);

at::TensorOptions floats_on(const ProcessGroup& group) { return at::TensorOptions(at::kFloat).device(group.device()); }

/// Of each rank another one.
Tensor number_of(const ProcessGroup& group, int rank) { return at::full({}, rank + 1.0, floats_on(group)); }

// Without a gradient, frozen, empty, transposed, with gaps; two averages in one step.
GRAPHED_RANK_PROGRAM(has_odd_gradients) {
  const auto options = floats_on(group);
  const auto parameter = [&](at::IntArrayRef sizes) { return at::ones(sizes, options).requires_grad_(); };
  const std::vector<Tensor> parameters{parameter({2}), parameter({3}).requires_grad_(false), parameter({0, 4}), parameter({2, 3}),
                                       parameter({2, 2})};
  const auto gradients_of = [&](const Tensor& x) {
    return std::vector<Tensor>{{},
                               {},
                               at::zeros({0, 4}, options),
                               (at::arange(6, options).view({3, 2}) * x).t(),
                               (at::arange(8, options) * x).as_strided({2, 2}, {4, 2})};
  };
  test_callable step(
      {{"x", {}}},
      [&](tensor_list& in) {
        const auto gradients = gradients_of(in[0]);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
          parameters[i].mutable_grad() = gradients[i];
        }
        group.average_gradients(parameters);
        group.average_gradients(parameters);
        tensor_list averages;
        for (const auto& each : parameters) {
          averages.push_back(each.grad().defined() ? each.grad().clone() : at::zeros({}, options));
        }
        return averages;
      },
      [] {
        settings of_a_step;
        of_a_step.step = true;
        return of_a_step;
      }());
  for (int call = 0; call < 5; ++call) {
    const tensor_list got = step({number_of(group, group.rank()) + call});
    const auto first = gradients_of(number_of(group, 0) + call), second = gradients_of(number_of(group, 1) + call);
    for (std::size_t i = 2; i < parameters.size(); ++i) {
      const Tensor average = (first[i] + second[i]) / 2;
      require_that(torch::equal(got[i], (average + average) / 2), "the average of gradient " + std::to_string(i));
    }
    require_that(!parameters[0].grad().defined() && !parameters[1].grad().defined(), "no gradient where there was none");
  }
  require_that(step.stats().replays == 3, "three replays, got " + step.stats().to_json());
}

// In turn, and both in one callable; the one that is left ends without the other.
GRAPHED_RANK_PROGRAM(has_two_groups) {
  auto other = ProcessGroup::from_environment(group.device().type());
  test_callable both({{"x", {2}}}, [&](tensor_list& in) {
    const Tensor sum = in[0] * 1, most = in[0] * 1;
    group.all_reduce_(sum);
    other.all_reduce_(most, ReduceOp::Max);
    return tensor_list{sum, most};
  });
  for (int call = 0; call < 5; ++call) {
    const tensor_list got = both({number_of(group, group.rank()).expand({2}).clone()});
    require_that(torch::equal(got[0], at::full({2}, 3.0, floats_on(group))), "the sum");
    require_that(torch::equal(got[1], at::full({2}, 2.0, floats_on(group))), "the largest");
  }
  require_that(both.stats().replays == 3, "three replays, got " + both.stats().to_json());
  other.shutdown();
  require_error([&] { both({number_of(group, group.rank()).expand({2}).clone()}); }, "it was shut down");
  group.barrier();
}

// Other ranks might take the other branch.
GRAPHED_RANK_PROGRAM(has_a_collective_in_a_branch) {
  test_callable callable({{"x", {2}}}, [&](tensor_list& in) {
    const auto sum = [&] {
      const Tensor all = in[0] * 1;
      group.all_reduce_(all);
      return all;
    };
    return tensor_list{if_else(in[0].sum() > 0, sum, [&] { return in[0] * 2; })};
  });
  for (int call = 0; call < 6; ++call) {
    const tensor_list got = callable({number_of(group, group.rank()).expand({2}).clone()});
    require_that(torch::equal(got[0], at::full({2}, 3.0, floats_on(group))), "the sum");
  }
  require_that(callable.stats().replays == 0, "no replays, got " + callable.stats().to_json());
  require_that(callable.explain().find("is a collective, to which other ranks might not come") != std::string::npos, callable.explain());
}

GRAPHED_RANK_PROGRAM(refuses) {
  const auto options = floats_on(group);
  const auto with_gradient = [](const Tensor& gradient) {
    Tensor made = at::zeros_like(gradient, at::kStrided).requires_grad_();
    made.mutable_grad() = gradient;
    return made;
  };
  const Tensor dense = with_gradient(at::ones({2}, options));
  require_error([&] { group.average_gradients({dense, with_gradient(at::ones({2}, options).to_sparse())}); }, "a gradient is not dense");
  require_error([&] { group.average_gradients(with_gradient(at::ones({5}, options.device(at::kMeta)))); }, "expected a dense tensor on");
  Tensor expanded = at::zeros({4}, options).requires_grad_();
  expanded.mutable_grad() = at::ones({1}, options).expand({4});
  require_error([&] { group.average_gradients(expanded); }, "has several elements in one place, as expand() gives");
  const Tensor doubles = with_gradient(at::ones({2}, options.dtype(at::kDouble)));
  const bool is_first = group.rank() == 0;
  require_error([&] { group.average_gradients(is_first ? std::vector<Tensor>{dense, doubles} : std::vector<Tensor>{doubles, dense}); },
                "the gradients in average_gradients of rank 1 are not those of rank 0");
  const Tensor unused = at::ones({3}, options).requires_grad_();
  require_error([&] { group.average_gradients({dense, is_first ? unused : with_gradient(at::ones({3}, options))}); },
                "the gradients in average_gradients of rank 1 are not those of rank 0: 2: ");
  require_error([&] { group.broadcast_(dense.detach(), 2); }, "there is no rank 2");
  group.barrier();
}

// After shutdown() nothing works, and says so.
GRAPHED_RANK_PROGRAM(uses_it_after_shutdown) {
  trainer own(group);
  own.run(5);
  const Tensor x = at::ones({2}, floats_on(group));
  group.shutdown();
  const char* const why = "it was shut down";
  require_error([&] { group.barrier(); }, why);
  require_error([&] { group.all_reduce_(x); }, why);
  require_error([&] { group.average_gradients(*own.net); }, why);
  require_error([&] { group.check_parameters(*own.net); }, why);
  require_error([&] { group.broadcast(*own.net); }, why);
  require_error([&] { own.run(1); }, why);
  require_that(group.size() == 2 && group.rank() < 2, "what it was");
  const ProcessGroup moved = std::move(group);
  require_error([&] { group.barrier(); }, "it was moved from");  // NOLINT(bugprone-use-after-move): what is tested
}

GRAPHED_RANK_PROGRAM(misuses) {
  has_odd_gradients(group);
  has_two_groups(group);
  has_a_collective_in_a_branch(group);
  refuses(group);
  uses_it_after_shutdown(group);
}

TEST_P(DistributedMisuse, HasTheRightResultOrAMessage) {
  for (const auto& end : run("misuses", /*first_keeps_store=*/true)) {
    EXPECT_TRUE(end.ended_well) << end.output;
  }
}

GRAPHED_RANK_PROGRAM(throws_after_the_collective) {
  trainer own(group);
  own.run(1);
  own.at_the_end = [&] {
    if (group.rank() == 1) {
      throw std::runtime_error("as it was told to");
    }
  };
  own.run(1000);
}

TEST_P(DistributedMisuse, AnExceptionBehindTheCollective) {
  const auto ends = run("throws_after_the_collective");
  expect_fails(ends[1], {"as it was told to"});
  expect_fails(ends[0], {"rank 1 has failed by an exception, in 'test_callable' or after it"});
}

GRAPHED_RANK_PROGRAM(brings_other_sizes) {
  const Tensor own = at::ones({group.rank() + 2}, floats_on(group));
  group.all_reduce_(own);
}

// NCCL takes what it gets.
TEST(StoreCollectives, NameTheSizesThatDiffer) {
  const auto ends = run_ranks("brings_other_sizes", 2, "cpu");
  const std::string first = "brings f32[2] (8 bytes)", second = "brings f32[3] (12 bytes)";
  expect_fails(ends[0], {"all_reduce_: rank 1 " + second + ", and rank 0 " + first + ": all ranks must call the same in the same order"});
  expect_fails(ends[1], {"all_reduce_: rank 0 " + first + ", and rank 1 " + second + ": all ranks must call the same in the same order"});
  for (const auto& end : ends) {
    EXPECT_EQ(end.output.find("frame #"), std::string::npos) << end.output;
  }
}

GRAPHED_RANK_PROGRAM(replays_others_of_the_same_size) {
  const auto body = [&](tensor_list& in) {
    const Tensor sum = in[0] * 1;
    group.all_reduce_(sum);
    return tensor_list{sum};
  };
  static CallableSpec first = description::make({{"x", {2}}}, {}), second = first;
  first.name = "app::first";
  second.name = "app::second";
  test_callable one(first, body), other(second, body);
  const Tensor x = at::ones({2}, floats_on(group));
  for (int call = 0; call < 5; ++call) {
    one({x});
    other({x});
  }
  (group.rank() == 0 ? one : other)({x});
}

TEST(StoreCollectives, NameReplaysOfOtherCallablesWithTheSameSizes) {
  for (const auto& end : run_ranks("replays_others_of_the_same_size", 2, "cpu")) {
    expect_fails(end,
                 {"rank 1 is at all_reduce_ in a replay of 'app::second', callable 1 of 1 with this name, and rank 0 at all_reduce_ in "
                  "a replay of 'app::first', callable 1 of 1 with this name: all ranks must call the same in the same order"});
  }
}

// In a step that is not replayed, one rank's network leaves out a layer.
GRAPHED_RANK_PROGRAM(loses_a_gradient) {
  torch::nn::Linear first(2, 2), second(2, 2);
  first->to(group.device());
  second->to(group.device());
  const std::vector<Tensor> parameters{first->weight, second->weight};
  for (int call = 0; call < 3; ++call) {
    for (const auto& each : parameters) {
      each.mutable_grad().reset();
    }
    Tensor x = first->forward(at::ones({1, 2}, floats_on(group)));
    x = call == 2 && group.rank() == 1 ? x : second->forward(x);
    x.sum().backward();
    group.average_gradients(parameters);
  }
}

TEST_P(DistributedMisuse, AGradientThatOneRankLacksLater) {
  for (const auto& end : run_impatiently("loses_a_gradient")) {
    expect_fails(end, {"rank 1", "a comparison of the gradients in average_gradients", "rank 0"});
  }
}

/// A variable of the environment, which has its old value at the end.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) {
      old_ = old;
    }
    set(value);
  }
  ~variable() { set(old_ ? old_->c_str() : nullptr); }
  variable& operator=(variable&&) = delete;

 private:
  void set(const char* value) { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }
  const char* name_;
  std::optional<std::string> old_;
};

std::string error_of_start() {
  try {
    ProcessGroup::from_environment(at::kCPU);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

struct start {
  const char *name, *value, *message;
};

TEST(Rendezvous, NamesTheVariableThatIsWrong) {
  const variable rank("RANK", "0"), size("WORLD_SIZE", "2"), address("MASTER_ADDR", "127.0.0.1"), port("MASTER_PORT", "29519");
  for (const auto& [name, value, message] : std::vector<start>{
           {"RANK", nullptr, "the environment variable RANK is missing: start the program by torchrun, or set RANK, WORLD_SIZE"},
           {"RANK", "", "the environment variable RANK is missing"},
           {"RANK", "2", "RANK must be a number from 0 to 1, got '2'"},
           {"RANK", "-1", "RANK must be a number from 0 to 1, got '-1'"},
           {"RANK", "0x", "RANK must be a number from 0 to 1, got '0x'"},
           {"WORLD_SIZE", nullptr, "the environment variable WORLD_SIZE is missing"},
           {"WORLD_SIZE", "0", "WORLD_SIZE must be a number from 1 to "},
           {"WORLD_SIZE", "two", "WORLD_SIZE must be a number from 1 to "},
           {"MASTER_PORT", "70000", "MASTER_PORT must be a number from 1 to 65535, got '70000'"},
           {"MASTER_PORT", nullptr, "the environment variable MASTER_PORT is missing"},
           {"MASTER_ADDR", nullptr, "the environment variable MASTER_ADDR is missing"},
       }) {
    const variable wrong(name, value);
    const std::string error = error_of_start();
    EXPECT_NE(error.find(message), std::string::npos) << name << ": " << error;
  }
}

TEST(Rendezvous, NamesThePortThatIsInUse) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  const auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  const std::string in_use = std::to_string(store->getPort());
  const variable rank("RANK", "0"), size("WORLD_SIZE", "2"), address("MASTER_ADDR", "127.0.0.1"), port("MASTER_PORT", in_use.c_str());
  const std::string error = error_of_start();
  EXPECT_NE(error.find("rank 0 cannot listen at 127.0.0.1:" + in_use +
                       ": if the port is in use, two processes may have RANK=0, or another job has this MASTER_PORT: "),
            std::string::npos)
      << error;
}

GRAPHED_RANK_PROGRAM(meets) {
  group.barrier();
  if (const char* const stays = std::getenv("GRAPHED_RANK_STAYS_MS")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(stays)));
  }
}

TEST(Rendezvous, SaysWhoHasNotStarted) {
  const auto ends = run_ranks("meets", 2, "cpu", {{}, 60, false, {{"GRAPHED_RANK_LATE_MS", "7000"}}});
  EXPECT_TRUE(ends[0].ended_well && ends[1].ended_well) << ends[0].output << ends[1].output;
  const auto place = ends[0].output.find("rank 0 waits at 127.0.0.1:");
  EXPECT_NE(place, std::string::npos) << ends[0].output;
  EXPECT_NE(ends[0].output.find(" for rank 1 to start; the limit is 120.0 s", place), std::string::npos) << ends[0].output;
  EXPECT_EQ(ends[0].output.find("waits at", place + std::string("rank 0 waits at").size()), std::string::npos) << ends[0].output;
  EXPECT_EQ(ends[1].output.find("waits at"), std::string::npos) << ends[1].output;
  EXPECT_EQ(ends[0].output.find("(function "), std::string::npos) << "of the runtime, not of the program:\n" << ends[0].output;
}

TEST(Rendezvous, SaysThatTheRankThatKeepsTheStoreHasNotStarted) {
  const auto ends =
      run_ranks("meets", 2, "cpu", {{{"GRAPHED_RANK_LATE_MS", "7000"}}, 60, /*first_keeps_store=*/true, {{"GRAPHED_RANK_LATE_MS", "0"}}});
  EXPECT_TRUE(ends[0].ended_well && ends[1].ended_well) << ends[0].output << ends[1].output;
  EXPECT_NE(ends[1].output.find("rank 1 waits at 127.0.0.1:"), std::string::npos) << ends[1].output;
  EXPECT_NE(ends[1].output.find(" for rank 0 to start; the limit is 120.0 s"), std::string::npos) << ends[1].output;
}

// Both would listen.
TEST(Rendezvous, SaysThatTwoProcessesMayBeRank0) {
  const auto ends = run_ranks("meets", 2, "cpu", {{{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"GRAPHED_RANK_STAYS_MS", "3000"}}, 60, true});
  EXPECT_NE(ends[0].ended_well, ends[1].ended_well) << ends[0].output << ends[1].output;
  expect_fails(ends[0].ended_well ? ends[1] : ends[0], {"two processes may have RANK=0, or another job has this MASTER_PORT"});
}

TEST(Rendezvous, NamesANumberThatTwoProcessesHave) {
  const auto ends = run_ranks("meets", 2, "cpu", {{{"RANK", "0"}, {"WORLD_SIZE", "1"}}, 60});
  const rank_end& later = ends[0].ended_well ? ends[1] : ends[0];
  EXPECT_TRUE(ends[0].ended_well || ends[1].ended_well) << ends[0].output << ends[1].output;
  expect_fails(later, {"another process has come with RANK=0"});
}

}  // namespace distributed_misuse_test
