// SPDX-License-Identifier: Apache-2.0
//
// An exception that nothing catches ends the process without a destructor: the other ranks learn of it here.
#pragma once

namespace graphed::impl {

/// From now on std::terminate hands the exception's text to the other ranks of each group, then does what it did before.
void tell_ranks_of_uncaught_exceptions();

}  // namespace graphed::impl
