// SPDX-License-Identifier: Apache-2.0
//
// What a capture needs of cuBLAS before it begins: a handle of its thread, and the workspace, 32 MiB on an H100, that all graphs of an
// order domain share. LibTorch gives each thread's handle another one on each stream, but those graphs run one at a time.
#pragma once

#include "backend/cuda/order.h"

namespace graphed {

/// Gives this thread its cuBLAS handle and the domain's capture streams, up to this lane's, a workspace: that of the warm-ups, which is
/// moved there if the stream has none yet. Every handle of the device that is known has the same one there. If warm-ups ran and none of
/// them multiplied, nothing is made: a capture that multiplies all the same makes both, in its pool, which only a relaxed one
/// (`is_relaxed`) may. Where operators have workspaces of their own, the thread gets a handle alone. Before a capture, whose caller holds
/// the capture lock.
void prepare_cublas(order_domain& domain, capture_lane lane, bool is_relaxed);

/// Gives this thread's handle workspaces on a stream of captures, which all handles of the device share. The stream is not being captured.
void share_workspaces_on(c10::cuda::CUDAStream stream);

}  // namespace graphed
