// SPDX-License-Identifier: Apache-2.0
//
// Which device an expression names.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// A device, a device's type or tensor options that say the host: torch::kCPU, torch::Device("cpu"), TensorOptions().device(torch::kCPU), a
/// constant of that value. No other expression does.
bool namesHost(const clang::Expr& E);

/// A call that returns a tensor of the host, by one of its arguments: torch::zeros({2}, torch::kCPU), x.cpu().
bool makesHostTensor(const clang::Expr& E);

}  // namespace graphgen::check
