// SPDX-License-Identifier: Apache-2.0
//
// The callables of host_values.h through the code that is generated for them, beside the originals, while values of the host are changed
// from outside.
#include "compare.h"
#include "host_values.graphed.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using at::Tensor;
using generated_tests::expect_same;
using generated_tests::kCalls;

using Call = std::function<Tensor(const Tensor&)>;
using Changes = std::vector<std::pair<const char*, std::function<void()>>>;

void expect_equal(const Call& fast, const Call& plain, const char* what) {
  const Tensor x = at::randn({4, 3});
  at::manual_seed(7);
  const Tensor found = fast(x);
  at::manual_seed(7);
  expect_same({found.detach()}, {plain(x).detach()}, what);
}

/// Calls both at once with each change, and then until the graph serves the calls.
template <class Fast>
void expect_followed(Fast& fast, const Call& plain, const Changes& changes) {
  const Call call = [&](const Tensor& x) { return fast(x); };
  const auto expect_replays = [&](const char* what) {
    const uint64_t before = fast.stats().replays;
    for (int i = 0; i < kCalls; ++i) {
      expect_equal(call, plain, what);
    }
    EXPECT_GT(fast.stats().replays, before) << what << '\n' << fast.explain();
  };
  expect_replays("at first");
  for (const auto& [what, change] : changes) {
    change();
    expect_equal(call, plain, what);
    expect_replays(what);
  }
}

TEST(HostValues, NumbersOfModules) {
  host_values::Numbers net;
  graphed::callable<&host_values::NumbersImpl::run> fast(net);
  expect_followed(fast, [&](const Tensor& x) { return net->run(x); },
                  {{"of the module", [&] { net->gain = 3; }},
                   {"of a base class of a registered one", [&] { net->first->gain = 0.5; }},
                   {"enumerator", [&] { net->first->kind = host_values::Kind::scaled; }},
                   {"bool", [&] { net->first->is_negative = true; }},
                   {"string", [&] { net->first->name = "twice"; }},
                   {"of a struct", [&] { net->part.shift = 2; }},
                   {"of a module in a struct", [&] { net->part.block->gain = 7; }},
                   {"one more in a list", [&] { net->blocks.emplace_back(); }},
                   {"of a module in a list", [&] { net->blocks[0]->gain = 3; }},
                   {"mode of a module in a list", [&] { net->blocks[0]->eval(); }},
                   {"as at first", [&] { net->gain = 1; }}});
}

TEST(HostValues, NumbersThatABodyInAnotherFileReads) {
  host_values::Elsewhere net;
  graphed::callable<&host_values::ElsewhereImpl::run> fast(net);
  expect_followed(fast, [&](const Tensor& x) { return net->run(x); },
                  {{"of the module", [&] { net->gain = 3; }},
                   {"bool", [&] { net->is_negative = true; }},
                   {"of a module that is not registered", [&] { net->block->gain = 3; }}});
}

TEST(HostValues, ModulesThatAreAssigned) {
  host_values::Unregistered net;
  graphed::callable<&host_values::UnregisteredImpl::run> fast(net);
  expect_followed(fast, [&](const Tensor& x) { return net->run(x); },
                  {{"eval of one that is not registered", [&] { net->drop->eval(); }},
                   {"train", [&] { net->drop->train(); }},
                   {"one that is not registered", [&] { net->linear = torch::nn::Linear(3, 3); }},
                   {"in a struct", [&] { net->parts.linear = torch::nn::Linear(3, 3); }},
                   {"in a list", [&] { net->others[0] = torch::nn::Linear(3, 3); }},
                   {"one with other options", [&] { net->drop = torch::nn::Dropout(0.25); }},
                   {"options", [&] { net->drop->options.p(0.1); }},
                   {"options in a struct", [&] { net->parts.drop->options.p(0.1); }},
                   {"options that hold a list", [&] { net->norm->options.eps(0.5); }},
                   {"options in a sequence", [&] { net->stack->ptr<torch::nn::DropoutImpl>(1)->options.p(0.2); }},
                   {"weight in a sequence", [&] { net->stack->ptr<torch::nn::LinearImpl>(0)->weight = at::randn({3, 3}); }},
                   {"weight of a registered one", [&] { net->registered->weight = at::randn({3, 3}); }},
                   {"weight", [&] { net->linear->weight = at::randn({3, 3}); }},
                   {"a registered one", [&] { net->registered = torch::nn::Linear(3, 3); }}});
}

TEST(HostValues, Variables) {
  graphed::callable<&host_values::of_variables> fast;
  expect_followed(fast, [](const Tensor& x) { return host_values::of_variables(x); },
                  {{"number", [] { host_values::rate = 3; }},
                   {"of a struct", [] { host_values::config.eps = 3; }},
                   {"in a list", [] { host_values::config.weights[0] = 5; }},
                   {"of the thread", [] { host_values::level = 2; }},
                   {"by a reference", [] { host_values::shown = 7; }},
                   {"string of another file", [] { host_values::mode = "net"; }},
                   {"number of a module", [] { host_values::net->gain = 3; }},
                   {"mode of a module", [] { host_values::net->eval(); }},
                   {"tensor", [] { host_values::mask = at::full({3}, 2.0); }},
                   {"module", [] { host_values::net = host_values::Block(); }}});
}

TEST(HostValues, VariableOfAClass) {
  host_values::OfClass object;
  graphed::callable<&host_values::OfClass::run> fast(object);
  expect_followed(fast, [&](const Tensor& x) { return object.run(x); },
                  {{"variable", [&] { host_values::OfClass::set_temperature(3); }}, {"member", [&] { object.set_slope(5); }}});
}

double squared(double x) { return x * x; }
double halved(double x) { return x / 2; }

TEST(HostValues, Forms) {
  host_values::Forms object;
  object.power = &halved;
  object.after = [](const Tensor& x) { return at::relu(x); };
  graphed::callable<&host_values::Forms::run> fast(object);
  expect_followed(fast, [&](const Tensor& x) { return object.run(x); },
                  {{"complex", [&] { object.phase = {3, 3}; }},
                   {"long double", [&] { object.wide = 3; }},
                   {"bitset", [&] { object.bits = 7; }},
                   {"duration", [&] { object.pause = std::chrono::milliseconds(5); }},
                   {"Scalar", [&] { object.scalar = 2.5; }},
                   {"device", [&] { object.device = c10::kCUDA; }},
                   {"text", [&] { object.title = "b"; }},
                   {"vector", [&] { object.rates = {1, 2}; }},
                   {"element", [&] { object.rates[1] = 3; }},
                   {"vector of bool", [&] { object.flags[0] = true; }},
                   {"deque", [&] { object.queue.push_front(4); }},
                   {"set", [&] { object.names.insert("b"); }},
                   {"map", [&] { object.by_name["a"] = 3; }}});
  expect_followed(fast, [&](const Tensor& x) { return object.run(x); },
                  {{"pointer to a function", [&] { object.power = &squared; }},
                   {"std::function", [&] { object.after = [](const Tensor& x) { return at::tanh(x); }; }},
                   {"alternative", [&] { object.act = host_values::Leaky{0.2}; }},
                   {"of an alternative", [&] { std::get<host_values::Leaky>(object.act).slope = 0.3; }},
                   {"tensor as an alternative", [&] { object.held = at::ones({3}); }},
                   {"another tensor", [&] { object.held = at::full({3}, 4.0); }},
                   {"in a tuple", [&] { std::get<0>(object.layers).gain = 3; }},
                   {"of a tuple", [&] { std::get<1>(object.layers) = 3; }},
                   {"in a list of pairs", [&] { object.pairs[0].second.gain = 3; }},
                   {"of a union", [&] { object.whole = 3; }}});
}

TEST(HostValues, ClassesOfObjects) {
  host_values::Activated object;
  graphed::callable<&host_values::Activated::run> fast(object);
  expect_followed(fast, [&](const Tensor& x) { return object.run(x); },
                  {{"another class", [&] { object.activation = std::make_unique<host_values::Sine>(); }},
                   {"one more in a list", [&] { object.stack.push_back(std::make_shared<host_values::Sine>()); }},
                   {"another class in a list", [&] { object.stack[0] = std::make_shared<host_values::Tanh>(); }}});
}

TEST(HostValues, AVariableThatTheBodyChangesLeavesMembersCarried) {
  host_values::Counting object;
  graphed::callable<&host_values::Counting::run> fast(object);
  for (int call = 0; call < kCalls + 4; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x), object.last}, {x * 2 + 1, x * 2}, "result and member");
  }
  EXPECT_GT(fast.stats().replays, 0U) << fast.explain();
}

/// Counts the warnings with a text.
class WarningCount : public c10::WarningHandler {
 public:
  explicit WarningCount(std::string text) : text_(std::move(text)), guard_(this) {}
  void process(const c10::Warning& warning) override { count_ += warning.msg().find(text_) == std::string::npos ? 0 : 1; }
  int count() const { return count_; }

 private:
  const std::string text_;
  int count_ = 0;
  const c10::WarningUtils::WarningHandlerGuard guard_;
};

TEST(HostValues, AValueThatIsAnotherOneInEachCall) {
  host_values::Changing object;
  graphed::callable<&host_values::Changing::run> fast(object);
  const WarningCount warnings("its object changes from call to call, so that none is captured: 'position = ");
  constexpr int calls = 40;
  for (int call = 0; call < calls; ++call) {
    object.position = call;
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {object.run(x)}, "result");
  }
  EXPECT_EQ(warnings.count(), 1);
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::NewKey)], 25U) << fast.stats();
  EXPECT_EQ(fast.stats().warmups, 15U) << fast.stats();
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {object.run(x)}, "once it stays");
  }
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
}

TEST(HostValues, AListThatGrowsInEachCall) {
  host_values::Changing object;
  graphed::callable<&host_values::Changing::run> fast(object);
  const WarningCount warnings("'seen = [");
  for (int call = 0; call < 20; ++call) {
    object.seen.push_back(call);
    const Tensor x = at::randn({4, 3});
    expect_same({fast(x)}, {object.run(x)}, "result");
  }
  EXPECT_EQ(warnings.count(), 1);
}

}  // namespace
