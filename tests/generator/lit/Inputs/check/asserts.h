// SPDX-License-Identifier: Apache-2.0
//
// Assertions of a library, in layers.
#pragma once
#pragma GCC system_header

#include <stdexcept>

#define ASSERT_UNLIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 0))
#define ASSERT_THROW(text) throw std::runtime_error(text)
#define ASSERT(condition)          \
  if (ASSERT_UNLIKELY(!(condition))) { \
    ASSERT_THROW(#condition);      \
  }
#define ASSERT_OP(a, b, op) (((a)op(b)) ? (void)0 : reports(a, b))
#define ASSERT_EQ(a, b) ASSERT_OP(a, b, ==)
#define ASSERT_ONCE(x) calls.push_back((x).clone())

inline void reports(float, float) {}
