// SPDX-License-Identifier: Apache-2.0
//
// The sizes of policy's arguments; the test edits them.
#pragma once

#include <cstdint>

constexpr std::int64_t rows = 4;
