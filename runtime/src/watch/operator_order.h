// SPDX-License-Identifier: Apache-2.0
//
// Which of a callable's operators must come one after another, known by the memory that they read and write. It also gives the branch of a
// graph on which each is to run, so that independent operators run side by side.
#pragma once

#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

/// Memory that an operator uses, by addresses.
struct memory_access {
  uintptr_t begin;
  uintptr_t end;  ///< past the last byte
  bool writes;
};

/// Operators are added in the order of the program, and numbered. Those of one branch run in that order.
class operator_order {
 public:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  /// One branch more is for operators that are set apart.
  explicit operator_order(std::size_t branches);

  struct placement {
    std::size_t branch;
    std::vector<std::size_t> after;  ///< operators on other branches that it must wait for; what they wait for is left out
  };
  /// On the first branch unless it is movable.
  placement add(c10::ArrayRef<memory_access> accesses, bool is_movable = true);
  /// On a branch where no other operators are, the last one.
  placement add_apart(c10::ArrayRef<memory_access> accesses);
  /// One that comes after all that were added, and before all that follow.
  placement add_barrier();
  /// Memory that had no owner before the last operator made it. False where another operator uses it that need not have come before.
  bool add_result(uintptr_t begin, uintptr_t end);
  /// The same of memory that the branch was given after its last operator.
  bool add_memory(uintptr_t begin, uintptr_t end, std::size_t branch);

 private:
  /// By branch the last operator that comes before; counted from one, so that none is zero.
  using clock = std::vector<std::size_t>;
  struct range {
    uintptr_t begin, end;
    std::size_t writer;  ///< as in a clock
    clock readers;
  };

  std::vector<range*> overlapping(uintptr_t begin, uintptr_t end);
  range& exactly(uintptr_t begin, uintptr_t end);
  void need(clock& needed, std::size_t op) const;
  std::size_t choose(const clock& needed, const clock& before) const;
  placement add_on(std::optional<std::size_t> branch, c10::ArrayRef<memory_access> accesses);
  placement place(const clock& needed, std::optional<std::size_t> branch);
  void note(const memory_access& access, std::size_t op);
  bool take_over(uintptr_t begin, uintptr_t end, std::size_t op);

  struct placed {
    std::size_t branch;
    clock before;  ///< itself included
  };
  std::vector<placed> operators_;
  std::vector<std::size_t> last_;
  clock barrier_;
  std::vector<range> ranges_;
  std::unordered_map<uintptr_t, std::vector<std::size_t>> by_page_;  ///< the ranges that touch it
};

}  // namespace graphed::impl
