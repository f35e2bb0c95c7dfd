// SPDX-License-Identifier: Apache-2.0
//
// What every generated program begins with: the functions that formulas call, for a GPU and for the host.
#pragma once

#include <string_view>

namespace graphed::impl::fusion {

/// Types, conversions, and arithmetic whose roundings no compiler may contract. For the host: without contraction by the compiler's
/// own option.
std::string_view device_prelude();
std::string_view host_prelude();
/// The part that both share, after either.
std::string_view common_prelude();

}  // namespace graphed::impl::fusion
