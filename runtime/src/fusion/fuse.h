// SPDX-License-Identifier: Apache-2.0
//
// From steps of a program to the one kernel that does what they do.
#pragma once

#include "fusion/formulas.h"
#include "fusion/group.h"
#include "trace/memory_order.h"
#include "trace/program.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace graphed::impl::fusion {

/// By step of a program: its formula, where it has one kernel and one result, of which that writes each element from the elements at the
/// same index. None for the others. Numbers of operands are indices of traced_step::arguments.
using formulas_of_steps = std::vector<std::optional<formula_use>>;

/// Each thread loads all of its elements before it stores any, and has them in registers meanwhile: 24 of them four times over, for vectors
/// of four, are less than half of the 255 that a thread can have.
constexpr std::size_t most_memories = 24;
/// What a kernel gains by more steps is little beside the time that it takes to compile.
constexpr std::size_t most_steps = 64;

struct group_in_memory {
  fusion::group group;
  std::vector<uintptr_t> addresses;  ///< by memory of the group
};

/// Of steps in the order of the program, between which nothing else runs that they depend on. None where their elements do not correspond,
/// or threads would use one another's memory.
std::optional<group_in_memory> fuse(const traced_program& traced, const memory_order& order, const formulas_of_steps& formulas,
                                    const std::vector<std::size_t>& steps);

}  // namespace graphed::impl::fusion
