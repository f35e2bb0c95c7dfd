// SPDX-License-Identifier: Apache-2.0
//
// Which callable a rank comes to a meeting from, so that ranks that call other objects of one method get an error.
#pragma once

#include "watch/run_in_hand.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// What a rank says of its callable.
struct claim {
  std::string name;      ///< empty: it comes from none
  uint64_t agreed = 0;   ///< the number that the ranks have agreed on; 0 before they have
  uint64_t ordinal = 0;  ///< among those of its name on this rank
  uint64_t made = 0;     ///< how many of its name the rank has made until now
  /// ", callable 2 of 2 with this name"
  std::string words() const;
  std::string text() const;
  static claim of(const std::string& text);
};

/// Callables that have met belong together from then on. At their first meeting the order of their making shows whether they do, where all
/// ranks have made as many. Where one has made more, that is unknown.
class known_callables {
 public:
  /// Of a callable of this rank's; null for none.
  claim of(const made_callable* callable) const;
  /// Which rank's callable does not belong to that of rank 0, or 0; none where all do, as they then have to later. Each rank asks for the
  /// same claims, and gets the same answer.
  std::optional<std::size_t> meet(const made_callable* own, const std::vector<claim>& all);

 private:
  std::map<uint64_t, uint64_t> agreed_;  ///< by made_callable::number
  uint64_t last_ = 0;
};

}  // namespace graphed::impl
