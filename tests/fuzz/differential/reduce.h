// SPDX-License-Identifier: Apache-2.0
//
// Programs without one of their parts: what refers to the part is led elsewhere.
#pragma once

#include "program.h"

namespace graphed::fuzz {

/// Together with what refers to the call, if it is one.
program without_action(program program, std::size_t index);
/// The callable must not be called.
program without_body(program program, std::size_t index);
/// Its uses become uses of its operand `instead`.
program without_step(program program, std::size_t body, std::size_t step, std::size_t instead);
program without_result(program program, std::size_t body, std::size_t result);
/// Its uses become uses of another argument.
program without_argument(program program, std::size_t body, std::size_t argument);
/// The dimension variable has its first value. The same program where there is none.
program without_variable(program program, std::size_t body);
program without_unused_members(program program);

}  // namespace graphed::fuzz
