// SPDX-License-Identifier: Apache-2.0
//
// The size of policy's argument.
#pragma once

constexpr long size = 3;
