// SPDX-License-Identifier: Apache-2.0
//
// The engines that are alive in this process.
#pragma once

#include <memory>

namespace graphed {

class engine_state;

void register_engine(const std::shared_ptr<engine_state>& made);

}  // namespace graphed
