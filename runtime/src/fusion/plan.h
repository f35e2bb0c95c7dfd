// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a program become one kernel, and when it runs.
#pragma once

#include "fusion/fuse.h"
#include "trace/program.h"

#include <cstddef>
#include <vector>

namespace graphed::impl::fusion {

/// A launch: groups that do not depend on one another, side by side.
struct planned_kernel {
  std::vector<std::size_t> steps;  ///< two or more, in the order of the program
  /// It runs just before this step would, or, where another kernel has taken that one, before the next. At the end where it is the number
  /// of steps.
  std::size_t before;
  std::vector<group_in_memory> groups;
};

/// In the order in which they run. Steps that are in none keep the order of the program. Whatever depends on something comes after it. The
/// plan is one: for a kernel that cannot be compiled, plan again without its steps.
std::vector<planned_kernel> plan_kernels(const traced_program& traced, const formulas_of_steps& formulas);

}  // namespace graphed::impl::fusion
