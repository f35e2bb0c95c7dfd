// SPDX-License-Identifier: Apache-2.0
//
// A copy of what generated code says of a callable: captures outlive the library that the code is in.
#pragma once

#include <graphed/impl/spec.h>

#include <memory>

namespace graphed::impl {

/// With all that it refers to, but for the functions of OpenDim, which only a call asks.
std::shared_ptr<const CallableSpec> owned_copy(const CallableSpec& spec);

}  // namespace graphed::impl
