// SPDX-License-Identifier: Apache-2.0
//
// Bodies of callables, for the capture-safety checks to walk.
#pragma once

#include "Choices.h"

#include <string>
#include <vector>

namespace graphgen::fuzz {

/// Statements over expressions of tensors, of which there may be none.
std::string body(Choices& From, const std::vector<std::string>& Tensors);

}  // namespace graphgen::fuzz
