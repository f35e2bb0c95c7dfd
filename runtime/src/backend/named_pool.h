// SPDX-License-Identifier: Apache-2.0
//
// The pools that annotations name: callables of one pool share the memory that their captures use in passing.
#pragma once

#include "backend/backend.h"

#include <memory>

namespace graphed::impl {

/// The pool of this name on a device, in the whole process. It lives as long as somebody holds it. Without a name, a pool of its own.
std::shared_ptr<pool> named_pool(const char* name, backend& backend, c10::Device device);

}  // namespace graphed::impl
