// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a program become one kernel, and when it runs.
#pragma once

#include "fusion/fuse.h"
#include "trace/program.h"

#include <cstddef>
#include <vector>

namespace graphed::impl::fusion {

struct planned_group {
  std::vector<std::size_t> steps;  ///< two or more, in the order of the program
  /// The kernel runs just before this step would, or where another group has taken that one, before the next. At the end where it is the
  /// number of steps.
  std::size_t before;
  group_in_memory kernel;
};

/// In the order in which they run. The steps of no group keep the order of the program, so that whatever depends on something comes after
/// it. A group stands or falls with the whole plan: for one that cannot be compiled, plan again without its steps.
std::vector<planned_group> plan_groups(const traced_program& traced, const formulas_of_steps& formulas);

}  // namespace graphed::impl::fusion
