// SPDX-License-Identifier: Apache-2.0
//
// Random steps.
#pragma once

#include "../dice.h"
#include "program.h"

namespace graphed::fuzz::training {

/// Over the program's networks and optimizers.
routine generate_routine(dice& dice, const program& program);

/// Whether every optimizer's step is the scaler's to skip: infinite gradients change no parameter.
bool is_scaled(const routine& routine);

}  // namespace graphed::fuzz::training
