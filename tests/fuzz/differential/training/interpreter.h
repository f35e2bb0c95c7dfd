// SPDX-License-Identifier: Apache-2.0
//
// Runs a training program's actions, with eager or with graphed steps.
#pragma once

#include "trainer.h"

#include "../draws.h"

#include "runtime/support/scenario.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace graphed::fuzz::training {

class interpreter {
 public:
  interpreter(const program& program, testing::scenario& run);

  /// Everything that a trainer could see goes into the scenario.
  void run();
  /// What each of the graphed steps did.
  std::vector<Statistics> stats() const;

 private:
  /// Of an optimizer, as `save` leaves it.
  struct archive {
    std::string optimizer;
    std::string scaler;
    tensor_list parameters;
  };

  void perform(const action& action);
  void call(const action& action);
  tensor_list run_routine(const routine& routine, const tensor_list& arguments);
  impl::Scalars scalars_of(const routine& routine) const;
  void change_gradient(const action& action);
  void change_parameter(const action& action);
  void accumulate(std::size_t network);
  void set_rate(const action& action);
  void save(std::size_t optimizer);
  void load(std::size_t optimizer);
  void add_group(std::size_t optimizer);
  at::Tensor parameter_of(const action& action) const;
  at::Tensor random(at::IntArrayRef sizes) const { return draw_normal(sizes, run_.options(program_.dtype)); }
  void see_training(const std::string& label);

  const program& program_;
  testing::scenario& run_;
  trainer trainer_;
  Scalar live_ = 1.0;
  std::deque<testing::subject> steps_;
  std::vector<bool> training_;  ///< by network
  std::map<std::size_t, archive> archives_;
  std::map<std::size_t, bool> added_;  ///< by optimizer: its last parameter
  tensor_list held_gradients_;
  tensor_list held_results_;
};

}  // namespace graphed::fuzz::training
