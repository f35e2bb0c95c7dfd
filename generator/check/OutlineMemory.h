// SPDX-License-Identifier: Apache-2.0
//
// Which variables show which memory in one place of a body, and which nodes of the outline have written it last.
#pragma once

#include "clang/AST/Decl.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphgen::check {

/// Numbers of memories.
using Shown = std::set<unsigned>;

inline void add(Shown& To, const Shown& More) { To.insert(More.begin(), More.end()); }

/// What differs between the branches of a body. A join keeps what either has.
struct OutlineState {
  std::map<const clang::ValueDecl*, Shown> Variables;
  std::map<std::string, Shown> Members;  // that the callable has assigned
  std::map<unsigned, std::set<std::size_t>> Writers;

  void join(const OutlineState& Other) {
    joinEach(Variables, Other.Variables);
    joinEach(Members, Other.Members);
    joinEach(Writers, Other.Writers);
  }

 private:
  template <class Map>
  static void joinEach(Map& To, const Map& From) {
    for (const auto& [Key, Set] : From) {
      To[Key].insert(Set.begin(), Set.end());
    }
  }
};

/// Memory that the call finds has a name, that which it makes has none.
class OutlineMemories {
 public:
  unsigned made() {
    Names.emplace_back();
    return static_cast<unsigned>(Names.size() - 1);
  }
  unsigned found(const std::string& Name) {
    const auto [Place, IsNew] = Known.try_emplace(Name, Names.size());
    if (IsNew) {
      Names.push_back(Name);
    }
    return Place->second;
  }
  const std::string& nameOf(unsigned Memory) const { return Names[Memory]; }

 private:
  std::vector<std::string> Names;
  std::map<std::string, unsigned> Known;
};

}  // namespace graphgen::check
