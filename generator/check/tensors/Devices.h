// SPDX-License-Identifier: Apache-2.0
//
// Which device an expression names.
#pragma once

#include "check/state/UnitIndex.h"

#include "clang/AST/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {

/// A device, a device's type or tensor options that say the host: torch::kCPU, torch::Device("cpu"), TensorOptions().device(torch::kCPU), a
/// variable or member that is given nothing else. No other expression does.
bool namesHost(const clang::Expr& E, const UnitIndex& Index);

/// The same of CUDA's devices.
bool namesCuda(const clang::Expr& E, const UnitIndex& Index);

/// A device, or tensor options that may hold one: x.device(), x.options(), torch::device(d); not of a dtype alone.
bool mayNameDevice(const clang::Expr& E);

/// A call that returns a tensor of the host, by one of its arguments: torch::zeros({2}, torch::kCPU), x.cpu().
bool makesHostTensor(const clang::Expr& E, const UnitIndex& Index);

/// Whether a library's call gives a tensor of the graph's device, where `IsOnDevice` tells of the tensors that it is given.
bool staysOnDevice(const clang::CallExpr& Call, const UnitIndex& Index, llvm::function_ref<bool(const clang::Expr&)> IsOnDevice);

}  // namespace graphgen::check
