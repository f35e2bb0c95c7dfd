// SPDX-License-Identifier: Apache-2.0
//
// A capture-safety check judges, one by one, the statements that calls of an annotated callable come to. Its name is the id of its
// diagnostics and of their page in docs/checks.
#pragma once

#include "check/Annotations.h"
#include "check/Findings.h"
#include "check/code/Frame.h"
#include "check/state/UnitIndex.h"
#include "check/tensors/TensorForms.h"

#include "clang/AST/Stmt.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace graphgen::check {

struct Place {
  const Frame& In;
  bool IsCertain;  // every call of the annotated callable comes here
  const UnitIndex& Index;
  AnnotationsOfOne Annotations;
  Findings& Found;
  const TensorForms& Forms;
};

class CaptureCheck {
 public:
  explicit CaptureCheck(llvm::StringRef Name) : Name(Name) {}
  virtual ~CaptureCheck() = default;

  llvm::StringRef name() const { return Name; }
  virtual void check(const clang::Stmt& S, const Place& At) const = 0;

  /// Whether what an operation does to its target is judged, which is told beside what else is wrong at the place.
  virtual bool isOfTargets() const { return false; }

  /// Whether its findings are warnings wherever they are.
  virtual bool onlyWarns() const { return false; }

 protected:
  /// An error where the place is certain, else a warning.
  void report(const Place& At, clang::SourceLocation Where, clang::SourceRange Range, const llvm::Twine& Message,
              std::vector<Note> Notes = {}, std::vector<clang::FixItHint> Fixes = {}) const {
    At.Found.add({Name, Where, Range, Message.str(), std::move(Notes), At.IsCertain, wayTo(At.In), std::move(Fixes)});
  }

  /// A warning wherever it is.
  void suspect(const Place& At, clang::SourceLocation Where, clang::SourceRange Range, const llvm::Twine& Message,
               std::vector<Note> Notes = {}) const {
    At.Found.add({Name, Where, Range, Message.str(), std::move(Notes), false, wayTo(At.In)});
  }

 private:
  llvm::StringRef Name;
};

/// Every one. Where two speak about one place, and both about targets or neither, the earlier is heard.
llvm::ArrayRef<const CaptureCheck*> captureChecks();

}  // namespace graphgen::check
