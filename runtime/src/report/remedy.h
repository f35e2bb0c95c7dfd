// SPDX-License-Identifier: Apache-2.0
//
// What a user can write in place of an operator that no capture can hold.
#pragma once

#include <string>

namespace graphed {

/// "aten::equal (what to write instead)", or the name alone where nothing is known. docs/promises/failure.md lists the remedies.
std::string with_remedy(const std::string& operator_name);

}  // namespace graphed
