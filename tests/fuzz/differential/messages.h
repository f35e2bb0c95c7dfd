// SPDX-License-Identifier: Apache-2.0
//
// What two runs of one program must have in common when they throw.
#pragma once

#include <exception>
#include <string>

namespace graphed::fuzz {

/// The first line of an exception's text, without what eager's own check finds on its way.
std::string stable_message(const std::exception& error);

}  // namespace graphed::fuzz
