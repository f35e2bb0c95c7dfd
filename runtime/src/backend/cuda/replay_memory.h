// SPDX-License-Identifier: Apache-2.0
//
// Memory that the graphs of an order domain have in common, beside cuBLAS's: what each replay writes before it reads it.
#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <memory>

namespace graphed {

class order_domain;

/// As pool_order::memory_of_replays. Where what there is does not suffice, graphs to come get more; those that are there keep theirs.
/// Thread safety: full.
std::shared_ptr<c10::DataPtr> replay_memory(const order_domain& domain, std::size_t bytes);

}  // namespace graphed
