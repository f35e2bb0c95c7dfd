// SPDX-License-Identifier: Apache-2.0
#include "distributed/claim.h"

#include "distributed/board.h"

#include <algorithm>
#include <sstream>

namespace graphed::impl {

errand errand::in_hand(std::string what) {
  const run_in_hand* const run = run_in_hand::current();
  return {std::move(what), run_in_hand::place(), run == nullptr ? nullptr : run->callable()};
}

std::string errand::words() const {
  const bool has_namesakes = callable && *callable->all > 1;
  return what + place + (has_namesakes ? known_callables().of(callable.get()).words() : "");
}

std::string claim::words() const {
  return name.empty() ? "" : ", callable " + std::to_string(ordinal) + " of " + std::to_string(made) + " with this name";
}

std::string claim::text() const {
  return name.empty() ? "" : std::to_string(agreed) + ' ' + std::to_string(ordinal) + ' ' + std::to_string(made) + ' ' + name;
}

claim claim::of(const std::string& text) {
  std::istringstream in(text);
  claim made;
  in >> made.agreed >> made.ordinal >> made.made >> std::ws;
  std::getline(in, made.name);
  return made;
}

claim known_callables::of(const made_callable* callable) const {
  if (callable == nullptr) {
    return {};
  }
  const auto known = agreed_.find(callable->number);
  return {callable->name, known == agreed_.end() ? 0 : known->second, callable->ordinal, *callable->all};
}

std::optional<std::size_t> known_callables::meet(const made_callable* own, const std::vector<claim>& all) {
  const claim& first = all.front();
  const auto find = [&](auto&& differs) {
    const auto found = std::find_if(all.begin(), all.end(), differs);
    return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
  };
  if (find([](const claim& each) { return each.name.empty(); })) {
    return std::nullopt;
  }
  if (const auto other = find([&](const claim& each) { return each.name != first.name || each.agreed != first.agreed; })) {
    return other;
  }
  if (first.agreed != 0) {
    return std::nullopt;
  }
  const bool have_made_as_many = !find([&](const claim& each) { return each.made != first.made; });
  const auto other = find([&](const claim& each) { return each.ordinal != first.ordinal; });
  if (have_made_as_many && other) {
    return other;
  }
  agreed_[own->number] = ++last_;
  return std::nullopt;
}

}  // namespace graphed::impl
