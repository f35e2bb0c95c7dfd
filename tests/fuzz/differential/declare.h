// SPDX-License-Identifier: Apache-2.0
//
// Random declarations: what an annotation would say of a callable.
#pragma once

#include "dice.h"
#include "program.h"

namespace graphed::fuzz {

/// A callable without steps and results.
body declare(dice& dice, c10::ScalarType dtype);

}  // namespace graphed::fuzz
