// SPDX-License-Identifier: Apache-2.0
//
// Which tensors of a program are the same, and which calls a gradient reaches.
#pragma once

#include "program.h"

#include <set>
#include <tuple>

namespace graphed::fuzz {

/// A tensor of the caller's: argument or result `index` of `call`, or a member.
struct identity {
  enum class origin { argument, result, member, kept };
  origin from;
  std::size_t call;
  std::size_t index;

  bool operator<(const identity& other) const { return std::tie(from, call, index) < std::tie(other.from, other.call, other.index); }
  bool operator==(const identity& other) const { return from == other.from && call == other.call && index == other.index; }
};

identity identity_of_argument(const program& program, const action& call, std::size_t index);
/// A result that shows an argument or a member counts as that.
identity identity_of_result(const program& program, const action& call, std::size_t index);

/// The argument, member or step whose memory a value of a body may show.
value memory_of(const body& body, value shown);

/// The calls that a gradient of `call` may reach, itself included, when action `position` comes.
std::set<std::size_t> reached_calls(const program& program, std::size_t position, std::size_t call);
/// Those that the gradients of a backward may reach, which is action `position`.
std::set<std::size_t> reached_calls(const program& program, std::size_t position);
/// Of them, those that a gradient does come to, and not only the engine, by way of an argument that gets none.
std::set<std::size_t> calls_with_gradients(const program& program, std::size_t position);

/// The action that makes `call`, or null.
const action* call_action(const program& program, std::size_t call);

}  // namespace graphed::fuzz
