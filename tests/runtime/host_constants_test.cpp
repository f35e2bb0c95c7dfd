// SPDX-License-Identifier: Apache-2.0
//
// Which tensors in host memory are constants.
#include "watch/host_constants.h"

#include "torch/interception.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/types.h>

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace host_constants_test {

using at::Tensor;
using graphed::impl::dispatch_path;
using graphed::impl::host_constants;
using graphed::impl::operator_call;

thread_local host_constants* told = nullptr;
thread_local int depth = 0;

/// An operator that the program calls itself.
struct seen_operator : at::ObserverContext {
  explicit seen_operator(const at::RecordFunction& function)
      : op(c10::Dispatcher::singleton().findSchema(*function.operator_name()).value()) {
    for (const auto& input : function.inputs()) {
      arguments.push_back(input);
    }
    told->before({op, below, arguments});
    ++depth;
  }
  ~seen_operator() override { --depth; }

  const c10::OperatorHandle op;
  const dispatch_path below = dispatch_path::to_cpu_kernel();
  std::vector<c10::IValue> arguments;
};

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  return depth == 0 && function.operator_name() ? std::make_unique<seen_operator>(function) : nullptr;
}

void end(const at::RecordFunction& function, at::ObserverContext* context) {
  if (const auto* seen = static_cast<const seen_operator*>(context)) {
    told->after({seen->op, seen->below, seen->arguments}, function.outputs());
  }
}

// Why the tensor that `make` returns is not a constant, or empty.
std::string why_not(const std::function<Tensor()>& make) {
  host_constants constants;
  told = &constants;
  const auto callback = at::addThreadLocalCallback(
      at::RecordFunctionCallback(&begin, &end).needsInputs(true).needsOutputs(true).scopes({at::RecordScope::FUNCTION}));
  const Tensor made = make();
  at::removeCallback(callback);
  return constants.why_not_constant(made);
}

const std::string written_by_host = "the host has had access to its memory";

TEST(HostConstants, AreMadeOfNumbersAndSizes) {
  EXPECT_EQ(why_not([] { return at::arange(8); }), "");
  EXPECT_EQ(why_not([] { return at::zeros({3, 4}).fill_(2).t(); }), "");
  EXPECT_EQ(why_not([] { return at::pow(10000, at::arange(0, 8, 2, at::kFloat) / -8).unsqueeze(0); }), "");
  EXPECT_EQ(why_not([] { return at::stack({at::eye(3), at::ones({3, 3}).triu(1)}).to(at::kDouble); }), "");
  EXPECT_EQ(why_not([] { return at::empty({4}).fill_(1).mul_(at::arange(4)); }), "");
}

TEST(HostConstants, ListsOfNumbersInTheProgram) {
  EXPECT_EQ(why_not([] { return torch::tensor({1.0, 2.0, 3.0}); }), "");
  EXPECT_EQ(why_not([] { return torch::tensor({{1, 2}, {3, 4}}); }), "");
  EXPECT_EQ(why_not([] { return torch::tensor(3); }), "");
  const std::vector<float> numbers{1, 2, 3};
  EXPECT_EQ(why_not([&] { return torch::tensor(numbers); }), written_by_host);
}

TEST(HostConstants, NotWhatTheHostMayHaveWritten) {
  EXPECT_EQ(why_not([] {
              Tensor made = at::zeros({4});
              made.accessor<float, 1>()[0] = 0;
              return made;
            }),
            written_by_host);
  EXPECT_EQ(why_not([] {
              Tensor made = at::zeros({4});
              float* const memory = made.data_ptr<float>();
              made.fill_(1);  // who has the pointer can go on writing
              memory[0] = 2;
              return made;
            }),
            written_by_host);
  EXPECT_EQ(why_not([] {
              const Tensor made = at::zeros({4});
              made.data_ptr<float>()[1] = 5;
              return made + 1;
            }),
            written_by_host);
  float own[4] = {};
  EXPECT_EQ(why_not([&] { return at::from_blob(own, {4}); }), "no operator of the callable has made it");
  EXPECT_EQ(why_not([&] { return at::from_blob(own, {4}).clone(); }), "it is made of a tensor from elsewhere");
}

TEST(HostConstants, ReadingOnTheHostIsNoWrite) {
  EXPECT_EQ(why_not([] {
              const Tensor made = at::arange(4, at::kFloat);
              return made * static_cast<const float*>(made.const_data_ptr())[2];
            }),
            "");
}

TEST(HostConstants, NotWhatIsLeftAsItWas) {
  EXPECT_EQ(why_not([] { return at::empty({4}); }), "no operator has written all of its values");
  EXPECT_EQ(why_not([] { return at::empty({4}) * 2; }), "no operator has written all of its values");
}

TEST(HostConstants, FilledPartByPart) {
  const auto fill = [](std::initializer_list<int64_t> rows) {
    Tensor made = at::empty({3, 2});
    for (const int64_t row : rows) {
      made[row].fill_(row);
    }
    return made;
  };
  EXPECT_EQ(why_not([&] { return fill({2, 0, 1}); }), "");
  EXPECT_EQ(why_not([&] { return fill({0, 1, 1}); }), "no operator has written all of its values");
}

TEST(HostConstants, NotWhatIsMadeOfATensorFromOutside) {
  const Tensor outside = at::ones({4});
  EXPECT_EQ(why_not([&] { return outside * 2; }), "it is made of a tensor from elsewhere");
  EXPECT_EQ(why_not([&] { return at::zeros({4}).copy_(outside); }), "it is made of a tensor from elsewhere");
  EXPECT_EQ(why_not([&] { return at::zeros({4}).add_(outside) * 0; }), "it is made of a tensor from elsewhere");
}

}  // namespace host_constants_test
