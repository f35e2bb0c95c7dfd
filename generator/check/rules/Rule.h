// SPDX-License-Identifier: Apache-2.0
//
// A rule checks facts, one by one, and looks at nothing else: each has a source of its own here, and a row in Rules.inc.
#pragma once

#include "check/Annotations.h"
#include "check/Findings.h"
#include "check/code/UnitIndex.h"
#include "check/flow/Facts.h"
#include "check/rules/Changes.h"
#include "check/rules/Readers.h"
#include "check/torch/Overlay.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <deque>

namespace graphgen::check {

/// A body that runs, and the call that leads there; the annotated callable's own has no caller.
struct Way {
  const flow::Summary& Of;
  const Way* Caller = nullptr;
  const flow::Fact* Entered = nullptr;  // of the caller
  bool IsCertain = true;                // each call of the annotated callable comes here
};

/// Of a callable, breadth first, so that the way to a place is a short one; a body comes once for each state that it is entered in.
std::deque<Way> waysOf(const flow::Summary& Whole);

/// From a call outwards, each after its reason. Calls inside libraries are left out.
std::vector<Note> wayBack(const Way& In, const flow::Fact& Call);

/// The function's name, or the operator's place, of a call; else the statement's begin.
clang::SourceLocation whereOf(const flow::Fact& Its);

/// A fact where calls of a callable come to it.
struct Occurrence {
  llvm::StringRef Rule;
  const flow::Fact& Its;
  const Way& In;
  AnnotationsOfOne Annotations;
  const UnitIndex& Unit;
  const Changes& Changed;
  const Readers& Others;  // all annotated callables of the file, this one among them
  Findings& Found;

  bool isCertain() const { return In.IsCertain && Its.IsCertain && Its.IsLikely; }
  clang::SourceLocation where() const { return whereOf(Its); }
  /// Of the operator's parameter, as its schema names it, or the function's; "self" is a method's object. Null where nothing is given.
  flow::ValueRef argument(llvm::StringRef Parameter) const;
  const clang::Expr* expression(llvm::StringRef Parameter) const;
  /// Whether the operator's parameter is one.
  bool isTensor(llvm::StringRef Parameter) const;

  /// An error where the place is certain, else a warning.
  void report(llvm::StringRef Id, clang::SourceLocation Where, const llvm::Twine& Message, std::vector<Note> Notes = {},
              std::vector<clang::FixItHint> Fixes = {}) const;
  /// At an argument.
  void report(const clang::Expr& Where, const llvm::Twine& Message, std::vector<Note> Notes) const;
  void report(const llvm::Twine& Message) const { report(Rule, where(), Message); }
  /// A warning wherever it is.
  void suspect(llvm::StringRef Id, clang::SourceLocation Where, const llvm::Twine& Message, std::vector<Note> Notes = {},
               std::vector<clang::FixItHint> Fixes = {}) const;
  void suspect(const llvm::Twine& Message) const { suspect(Rule, where(), Message); }

  /// Of a tensor that the body reads and replaces.
  void tellReplaced(const flow::PathNode& Of, bool MayBeError, const llvm::Twine& Message) const;

  /// Adds the function with the place, and the callable.
  void tell(Finding New) const;
};

struct Rule {
  using Judge = void (*)(const Occurrence& At);

  Judge OnCall = nullptr;
  Judge OnWrite = nullptr;
  Judge OnRebind = nullptr;
  Judge OnAssign = nullptr;
  Judge OnRead = nullptr;
  Judge OnLook = nullptr;
  Judge OnBranch = nullptr;
  void (*OnEnd)(llvm::ArrayRef<Occurrence> All) = nullptr;  // with all that calls of the callable come to
};

/// Whether a row of the overlay says it of the call.
bool hasTrait(const Occurrence& Call, Trait Its);

namespace rules {
#define RULE(Name, Id) extern const Rule Name;
#include "check/rules/Rules.inc"
}  // namespace rules

/// Of one callable: what all rules say of what its body does, and the bodies that its calls come to, which are added to `Judged`.
Findings judge(const flow::Summary& Whole, AnnotationsOfOne Annotations, const UnitIndex& Unit, const Changes& Changed,
               const Readers& Others, llvm::SetVector<const clang::FunctionDecl*>& Judged);

}  // namespace graphgen::check
