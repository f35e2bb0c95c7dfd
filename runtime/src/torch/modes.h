// SPDX-License-Identifier: Apache-2.0
//
// The modes of the thread and of the process that decide what a callable computes: each combination selects its own capture.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/SmallVector.h>

namespace graphed::impl {

/// What selects a capture of a callable, as bytes.
using key_bytes = c10::SmallVector<char, 512>;

/// Grad mode, inference mode, autocast and its dtype, the device, and the context's settings of precision, determinism and kernel choice.
void append_mode_key(key_bytes& key, c10::Device device);

/// Whether autocast keeps its casts of weights on this thread.
bool caches_casts(c10::Device device);
/// Then: whether it casts this tensor anew at each use all the same, since it is no weight.
bool is_cast_anew(const at::Tensor& tensor);

/// Whether the settings lie between the context's members that the key relies on, as its accessors tell them.
bool are_settings_in_place();

}  // namespace graphed::impl
