// SPDX-License-Identifier: Apache-2.0
//
// Runs a program's actions, with eager or with graphed callables.
#pragma once

#include "evaluate.h"

#include "runtime/support/scenario.h"

#include <torch/nn/module.h>

#include <deque>
#include <map>
#include <set>
#include <utility>

namespace graphed::fuzz {

class interpreter {
 public:
  interpreter(const program& program, testing::scenario& run);

  /// Everything that a caller could see goes into the scenario.
  void run();
  /// What each of the graphed callables did.
  std::vector<Statistics> stats() const;

 private:
  struct called {
    tensor_list arguments;
    tensor_list results;
    bool is_aliased;
  };

  void perform(std::size_t position);
  tensor_list run_body(const body& body, const tensor_list& arguments) const;
  impl::Scalars scalars_of(const action& action) const;
  tensor_list begin_call(const action& action);
  void call(const action& action);
  void prepare(const action& action);
  void go_back(std::size_t position);
  void reset(std::size_t body);
  void step_down();
  void change(at::Tensor tensor, bool no_grad);
  at::Tensor argument_of(const action& action, std::size_t index);
  at::Tensor fresh(const testing::argument& spec, int64_t rows, source::form form) const;
  at::Tensor kept(const action& action, std::size_t index);
  at::Tensor* result_of(const action& action);
  at::Tensor* argument_at(const action& action);
  tensor_list differentiable(const action& action);
  tensor_list leaves(std::size_t call);
  void forget_gradients();
  void see_gradients(const std::string& label);
  void see_all();

  const program& program_;
  testing::scenario& run_;
  closed_over outside_;
  torch::nn::Module module_;
  std::deque<testing::subject> callables_;
  std::map<std::size_t, called> calls_;
  std::map<std::pair<std::size_t, std::size_t>, at::Tensor> kept_;  ///< by callable and argument
  std::set<std::size_t> spent_;  ///< calls that a failed backward has reached: eager has released a part of their graphs
  tensor_list held_gradients_;
  std::vector<Statistics> prepared_;  ///< what prepare() captured of each callable: no calls
  std::vector<Statistics> before_;    ///< of each callable, before it was reset
};

}  // namespace graphed::fuzz
