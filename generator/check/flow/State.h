// SPDX-License-Identifier: Apache-2.0
//
// What is at each place in memory, at one point of the program. A path that it lacks has the value that it had when the callable began.
#pragma once

#include "check/flow/Value.h"

#include "llvm/ADT/ImmutableMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <utility>
#include <vector>

namespace graphgen::check::flow {

/// Copies are cheap, and equal states are equal by pointers.
class State {
 public:
  struct ById {
    using key_type = const Path;
    using key_type_ref = Path;
    using data_type = const ValueRef;
    using data_type_ref = ValueRef;
    using value_type = const std::pair<const Path, ValueRef>;
    using value_type_ref = value_type&;
    static Path KeyOfValue(const value_type& V) { return V.first; }
    static ValueRef DataOfValue(const value_type& V) { return V.second; }
    static bool isEqual(Path A, Path B) { return A == B; }
    static bool isLess(Path A, Path B) { return A->id() < B->id(); }
    static bool isDataEqual(ValueRef A, ValueRef B) { return A == B; }
    static void Profile(llvm::FoldingSetNodeID& Id, const value_type& V) {
      Id.AddPointer(V.first);
      Id.AddPointer(V.second);
    }
  };
  using OfRoot = llvm::ImmutableMap<Path, ValueRef, ById>;

 private:
  struct ByRoot {
    using key_type = const Path;
    using key_type_ref = Path;
    using data_type = const OfRoot;
    using data_type_ref = const OfRoot&;
    using value_type = const std::pair<const Path, OfRoot>;
    using value_type_ref = value_type&;
    static Path KeyOfValue(const value_type& V) { return V.first; }
    static const OfRoot& DataOfValue(const value_type& V) { return V.second; }
    static bool isEqual(Path A, Path B) { return A == B; }
    static bool isLess(Path A, Path B) { return A->id() < B->id(); }
    static bool isDataEqual(const OfRoot& A, const OfRoot& B) { return A == B; }
    static void Profile(llvm::FoldingSetNodeID& Id, const value_type& V) {
      Id.AddPointer(V.first);
      V.second.Profile(Id);
    }
  };
  using Map = llvm::ImmutableMap<Path, OfRoot, ByRoot>;

 public:
  class Factory {
   public:
    State empty() { return State(*this, Roots.getEmptyMap()); }

   private:
    friend class State;
    OfRoot::Factory Parts;
    Map::Factory Roots;
  };

  bool operator==(const State& Other) const { return Map_ == Other.Map_; }
  bool operator!=(const State& Other) const { return !(*this == Other); }
  const void* identity() const { return Map_.getRootWithoutRetain(); }

  /// Null where nothing was set since the callable began.
  ValueRef at(Path Of) const;
  void set(Path Of, ValueRef New);
  /// Everything at and below it.
  void clear(Path Of);
  /// What was set at and below it.
  std::vector<std::pair<Path, ValueRef>> within(Path Of) const;
  /// `Unset` gives what is at a place that a state lacks, or null.
  void join(const State& Other, Values& All, llvm::function_ref<ValueRef(const State& In, Path)> Unset);

  /// What is reached from the values, and from what outlives the call.
  State reachable(llvm::ArrayRef<ValueRef> From) const { return reachable(From, *this, false); }
  /// The same, and all that has a root in `Begun`.
  State reachable(llvm::ArrayRef<ValueRef> From, const State& Begun) const { return reachable(From, Begun, true); }
  /// Takes over all roots of Other.
  void overwrite(const State& Other);

  void print(llvm::raw_ostream& Out) const;

 private:
  State(Factory& Of, Map Held) : Of(&Of), Map_(Held) {}
  State reachable(llvm::ArrayRef<ValueRef> From, const State& Begun, bool KeepsBegun) const;
  void reach(Path To, llvm::SetVector<Path>& Reached) const;
  void reach(const Value& V, llvm::SetVector<Path>& Reached) const;

  Factory* Of;
  Map Map_;
};

}  // namespace graphgen::check::flow
