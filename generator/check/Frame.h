// SPDX-License-Identifier: Apache-2.0
//
// The way from an annotated callable to a body that its calls come to.
#pragma once

#include "check/Form.h"
#include "check/Owners.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceLocation.h"

#include <string>
#include <vector>

namespace graphgen::check {

/// A body, and the call that leads there; the annotated callable's own has no caller.
struct Frame {
  const clang::FunctionDecl* Function;  // the definition
  const Frame* Caller = nullptr;
  clang::SourceLocation Call;
  bool IsCertain = true;  // every call of the annotated callable comes here
  PassedOwners Given = {};
  bool IsBackward = false;       // the call applies a torch::autograd::Function, whose backward this is
  std::vector<Form> Forms = {};  // of what the parameters are given
};

struct Note {
  clang::SourceLocation Where;
  std::string Message;
};

/// "called from 'app::step' here", from the innermost call outwards; empty in the annotated callable itself. Calls inside libraries are
/// left out.
std::vector<Note> wayTo(const Frame& In);

}  // namespace graphgen::check
