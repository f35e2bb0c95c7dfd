// SPDX-License-Identifier: Apache-2.0
//
// Whether a part of a local variable, or of the object that a method is called on, may come to be another one than what it was made with.
#pragma once

#include "check/code/Selections.h"

#include "clang/AST/DeclCXX.h"

#include <map>
#include <optional>
#include <set>

namespace graphgen::check {

struct PartChanges {
  bool AreAll = false;
  std::set<unsigned> Places;

  void add(std::optional<unsigned> Place);
  void add(const PartChanges& Others);
  bool isAny() const { return AreAll || !Places.empty(); }
  bool includes(std::optional<unsigned> Place) const { return AreAll || (Place ? Places.count(*Place) != 0 : !Places.empty()); }
};

/// Each body is looked at once, and each variable. A part is reassigned where it is assigned to, exchanged, or handed to what may do so.
class ReassignedParts {
 public:
  /// In the body of In. False of what the whole only refers to.
  bool isReassigned(const Selection& Part, const clang::FunctionDecl& In);

  /// The whole of a local variable, as check::isReassigned tells.
  bool isReassigned(const clang::VarDecl& Variable);

  /// Any part of a local variable of In.
  bool isAnyReassigned(const clang::VarDecl& Variable, const clang::FunctionDecl& In) { return of(&Variable, In).isAny(); }

  /// Whether a method, or a constructor after its initializers, may assign a tensor or a pointer to a member of its object.
  bool mayAssignMembers(const clang::CXXMethodDecl& Method) { return ofObject(Method).isAny(); }

  /// Of the object, or of a parameter, that a call of F gives; all where the body is not seen.
  PartChanges ofObject(const clang::CXXMethodDecl& Method);
  PartChanges ofParameter(const clang::FunctionDecl& F, unsigned Index);

 private:
  using ByHolder = std::map<const clang::VarDecl*, PartChanges>;  // null: `this`
  PartChanges of(const clang::VarDecl* Holder, const clang::FunctionDecl& Definition);

  static constexpr unsigned MostDepth = 64;                             // of calls
  std::map<const clang::FunctionDecl*, std::optional<ByHolder>> Known;  // nothing: being looked for
  std::map<const clang::VarDecl*, bool> Wholes;
  unsigned Depth = 0;
};

}  // namespace graphgen::check
