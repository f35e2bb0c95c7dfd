// SPDX-License-Identifier: Apache-2.0
//
// NCCL's collectives, by c10d's backend, set up so that they can be captured.
#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace graphed::impl {

/// Connected: its first collective may be in a capture. Throws Error for settings of the environment that captures do not go with, and
/// where the runtime was built without NCCL.
c10::intrusive_ptr<c10d::Backend> nccl_backend(c10::intrusive_ptr<c10d::Store> store, int rank, int size, c10::Device device);

}  // namespace graphed::impl
