// SPDX-License-Identifier: Apache-2.0
//
// The way from an annotated callable to a body that its calls come to.
#pragma once

#include "check/code/Form.h"
#include "check/code/Owners.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceLocation.h"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace graphgen::check {

class ReassignedParts;

/// What is known of the class of `this` beyond its type.
struct ObjectClass {
  const clang::CXXRecordDecl* Class = nullptr;  // null: nothing
  bool IsExact = false;                         // else it may be one that derives from it

  bool operator<(const ObjectClass& Other) const { return std::tie(Class, IsExact) < std::tie(Other.Class, Other.IsExact); }
};

struct Note {
  clang::SourceLocation Where;
  std::string Message;
};

/// A body, and the call that leads there; the annotated callable's own has no caller.
struct Frame {
  const clang::FunctionDecl* Function;  // the definition
  const Frame* Caller = nullptr;
  clang::SourceLocation Call;
  bool IsCertain = true;  // every call of the annotated callable comes here
  PassedOwners Given = {};
  bool IsBackward = false;  // the call applies a torch::autograd::Function, whose backward this is
  ObjectClass Object = {};
  std::optional<Note> Reason = std::nullopt;         // why the call comes here
  std::vector<Form> Forms = {};                      // of what the parameters are given
  std::shared_ptr<ReassignedParts> Parts = nullptr;  // of the annotated callable's own: what is known of all bodies
};

/// Of the annotated callable whose calls come to In.
ReassignedParts& reassignedParts(const Frame& In);

/// "called from 'app::step' here", from the innermost call outwards, each after its reason; empty in the annotated callable itself. Calls
/// inside libraries are left out.
std::vector<Note> wayTo(const Frame& In);

}  // namespace graphgen::check
