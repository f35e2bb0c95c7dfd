// SPDX-License-Identifier: Apache-2.0
//
// What to do about each miss: the same words as in docs/reference/statistics.md.
#pragma once

#include <graphed/stats.h>

#include <string_view>

namespace graphed::impl {

struct remedy {
  std::string_view text;  ///< empty where nothing is to be done
  std::string_view page;  ///< of pages::
};

remedy remedy_of(Miss reason);

}  // namespace graphed::impl
