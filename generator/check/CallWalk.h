// SPDX-License-Identifier: Apache-2.0
//
// Follows the calls from an annotated callable into every body that the translation unit has.
#pragma once

#include "check/CaptureCheck.h"
#include "scan/Bodies.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <vector>

namespace clang {
class LambdaExpr;
}

namespace graphgen::check {

class CallWalk {
 public:
  CallWalk(llvm::ArrayRef<const CaptureCheck*> Checks, const scan::Bodies& Bodies, Findings& Found)
      : Checks(Checks), Bodies(Bodies), Found(Found) {}

  /// Nothing where the body is in another file.
  void run(const clang::FunctionDecl& Annotated);

  /// The bodies that were judged, each once or twice.
  const std::deque<Frame>& frames() const { return Frames; }

 private:
  void enter(const clang::FunctionDecl* Function, const Frame* Caller, clang::SourceLocation Call, bool IsCertain);
  void walk(const Frame& In);
  void walkUncalledLambdas();

  llvm::ArrayRef<const CaptureCheck*> Checks;
  const scan::Bodies& Bodies;
  Findings& Found;
  std::deque<Frame> Frames;
  size_t Next = 0;                                             // of those, to walk
  llvm::DenseMap<const clang::FunctionDecl*, bool> CertainOf;  // by definition
  std::vector<std::pair<const clang::LambdaExpr*, const Frame*>> Lambdas;
};

}  // namespace graphgen::check
