// SPDX-License-Identifier: Apache-2.0
//
// What the calls of one key have in common, for people.
#pragma once

#include "call/members.h"

#include <graphed/inputs.h>
#include <graphed/scalars.h>
#include <graphed/spec.h>

#include <c10/core/Device.h>

#include <string>

namespace graphed {

/// "x: f32[64, 784]; causal = true; cuda:0, no grad; eval": the sample, the values of `key` scalars, this thread's modes, which modules
/// train, and numbers and strings of the object. Settings of the context that change which kernels run are not named.
std::string key_words(const sample_spec& sample, const inputs& inputs, const scalars& scalars, c10::Device device,
                      const watched_module& module);
/// "scale = 0.5, layers = 2, 3": of the members called `names`.
std::string member_words(const watched_members& members, const assigned_members& assigned, c10::ArrayRef<const char*> names);

}  // namespace graphed
