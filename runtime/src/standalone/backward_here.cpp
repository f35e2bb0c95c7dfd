// SPDX-License-Identifier: Apache-2.0
#include <graphed/backward_here.h>

#include <c10/core/AutogradState.h>

namespace graphed {

using c10::AutogradState;

BackwardHere::BackwardHere() noexcept : multithreading_before_(AutogradState::get_tls_state().get_multithreading_enabled()) {
  AutogradState::get_tls_state().set_multithreading_enabled(false);
}

BackwardHere::~BackwardHere() { AutogradState::get_tls_state().set_multithreading_enabled(multithreading_before_); }

}  // namespace graphed
