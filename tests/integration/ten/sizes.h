// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

constexpr int64_t kSize = 8;
