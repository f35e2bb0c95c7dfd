// SPDX-License-Identifier: Apache-2.0
//
// The containers that a callable may take and return tensors in. Each function reads a const container and writes another. A c10::List or
// c10::Dict shares its elements with its copies: one that is written becomes a copy of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace c10 {
template <class T>
class List;
template <class Key, class Value>
class Dict;
}  // namespace c10

namespace torch {
template <typename Key, typename Value>
class OrderedDict;
}

namespace graphed::impl::detail {

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_shared = false;
template <class T>
inline constexpr bool is_shared<c10::List<T>> = true;
template <class Key, class Value>
inline constexpr bool is_shared<c10::Dict<Key, Value>> = true;

template <class T>
inline constexpr bool is_ordered_dict = false;
template <class Key, class Value>
inline constexpr bool is_ordered_dict<torch::OrderedDict<Key, Value>> = true;

template <class T>
inline constexpr bool is_unordered_map = false;
template <class... T>
inline constexpr bool is_unordered_map<std::unordered_map<T...>> = true;

/// Each element of a std::vector, std::array, at::ArrayRef or c10::List.
template <class List, class F>
void for_each_element(List& list, F& f) {
  if constexpr (!is_shared<std::remove_const_t<List>>) {
    for (auto& element : list) {
      f(element);
    }
  } else if constexpr (std::is_const_v<List>) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& element = list.get(i);
      f(element);
    }
  } else {
    list = list.copy();
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto element = list.get(i);
      f(element);
      list.set(i, std::move(element));
    }
  }
}

/// The value of `key` in a std::map, std::unordered_map, torch::OrderedDict or c10::Dict; false where there is none.
template <class Map, class F>
bool with_value(Map& map, const std::string& key, F& f) {
  if constexpr (is_ordered_dict<std::remove_const_t<Map>>) {
    auto* const value = map.find(key);
    if (value != nullptr) {
      f(*value);
    }
    return value != nullptr;
  } else {
    if constexpr (is_shared<Map>) {
      map = map.copy();
    }
    const auto found = map.find(key);
    if (found == map.end()) {
      return false;
    }
    if constexpr (!is_shared<std::remove_const_t<Map>>) {
      f(found->second);
    } else if constexpr (std::is_const_v<Map>) {
      const auto& value = found->value();
      f(value);
    } else {
      auto value = found->value();
      f(value);
      found->setValue(std::move(value));
    }
    return true;
  }
}

/// The entries of a std::unordered_map as their keys sort: a copy of the map may have another order of its own.
template <class Map>
auto sorted_entries(Map& map) {
  std::vector<decltype(&*map.begin())> entries;
  for (auto& entry : map) {
    entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(), [](const auto* left, const auto* right) { return left->first < right->first; });
  return entries;
}

/// Each value of a map, in the order of its iterators, or of its keys where that differs between equal maps.
template <class Map, class F>
void for_each_value(Map& map, F& f) {
  using unqualified = std::remove_const_t<Map>;
  if constexpr (is_unordered_map<unqualified>) {
    for (auto* entry : sorted_entries(map)) {
      f(entry->second);
    }
  } else if constexpr (is_ordered_dict<unqualified>) {
    for (auto& item : map) {
      f(item.value());
    }
  } else if constexpr (!is_shared<unqualified>) {
    for (auto& entry : map) {
      f(entry.second);
    }
  } else if constexpr (std::is_const_v<Map>) {
    for (const auto& entry : map) {
      const auto& value = entry.value();
      f(value);
    }
  } else {
    map = map.copy();
    for (const auto& entry : map) {
      auto value = entry.value();
      f(value);
      entry.setValue(std::move(value));
    }
  }
}

}  // namespace graphed::impl::detail
