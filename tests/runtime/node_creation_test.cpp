// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's hooks for new autograd nodes, which it has from 2.15 on, and only Python registers.
#include "support/device_test.h"

#include <ATen/NodeCreationHooks.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/node_creation_hook.h>

#include <algorithm>

namespace node_creation_test {

using namespace graphed;
using namespace graphed::testing;
using torch::autograd::edge_list;
using torch::autograd::Engine;
using torch::autograd::Node;
using torch::autograd::NodeCreationHook;
using torch::autograd::variable_list;

GRAPHED_DEVICE_TEST_SUITE(NodeCreation);

struct new_node {
  std::string name;
  std::size_t edges, results;
};

/// While it lives, the engine has a hook, as Python's would.
class watching_engine final : public Engine {
 public:
  watching_engine() {
    active_ = this;
    torch::autograd::set_default_engine_stub([]() -> Engine& { return *active_; });
    at::impl::NodeCreationHooks::push_hook({nullptr, nullptr});  // instead of Python's object: the engine is asked where there is one
  }
  ~watching_engine() override {
    torch::autograd::set_default_engine_stub([]() -> Engine& { return get_base_engine(); });
  }
  watching_engine(const watching_engine&) = delete;
  watching_engine& operator=(const watching_engine&) = delete;

  std::vector<std::unique_ptr<NodeCreationHook>> get_node_creation_hooks() override {
    struct node_recorder final : NodeCreationHook {
      explicit node_recorder(std::vector<new_node>& seen) : seen(seen) {}
      void operator()(const c10::intrusive_ptr<Node>& node) override {
        seen.push_back({node->name(), node->num_outputs(), node->num_inputs()});
      }
      std::vector<new_node>& seen;
    };
    std::vector<std::unique_ptr<NodeCreationHook>> hooks;
    hooks.push_back(std::make_unique<node_recorder>(seen_));
    return hooks;
  }
  // An engine has threads of its own.
  variable_list execute(const edge_list& roots, const variable_list& inputs, bool keep_graph, bool create_graph, bool accumulate_grad,
                        const edge_list& outputs) override {
    return get_base_engine().execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
  }
  const std::vector<new_node>& seen() const { return seen_; }

 private:
  static inline watching_engine* active_ = nullptr;
  std::vector<new_node> seen_;
};

TEST_P(NodeCreation, OfAReplayRunsAHookOnceWithItsEdgesAndResults) {
  const auto options = at::TensorOptions(device());
  const at::Tensor w = at::randn({4}, options).requires_grad_();
  test_callable f({{"x", {16, 4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) { return tensor_list{in[0] * w, in[0] + w}; });
  const tensor_list x{at::randn({16, 4}, options).requires_grad_()};
  while (f.stats().replays == 0) {
    f(x);
  }
  const watching_engine watched;
  const tensor_list results = f(x);
  const std::string name = results[0].grad_fn()->name();  // beside those of accumulators
  const auto of_call = [&](const new_node& node) { return node.name == name; };
  ASSERT_EQ(std::count_if(watched.seen().begin(), watched.seen().end(), of_call), 1);
  const new_node& node = *std::find_if(watched.seen().begin(), watched.seen().end(), of_call);
  EXPECT_EQ(node.edges, 2u);
  EXPECT_EQ(node.results, 2u);
}

TEST_P(NodeCreation, OfAnErrorInAHistoryRunsAHook) {
  const auto options = at::TensorOptions(device());
  test_callable f({{"x", {4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) { return tensor_list{in[0] * in[0]}; });
  const tensor_list x{at::randn({4}, options).requires_grad_()};
  tensor_list gradients;
  watching_engine watched;
  while (f.stats().backward_replays == 0) {
    gradients = torch::autograd::grad({f(x)[0].sum()}, x, {}, /*retain_graph=*/true, /*create_graph=*/true);
  }
  ASSERT_FALSE(watched.seen().empty());
  EXPECT_EQ(watched.seen().back().name, gradients[0].grad_fn()->name());
}

}  // namespace node_creation_test
