// SPDX-License-Identifier: Apache-2.0
//
// Calls of functions that have no body in the file, with what is known of the values that they are given.
#pragma once

#include "check/Annotations.h"
#include "check/code/UnitIndex.h"
#include "check/flow/Facts.h"
#include "check/join/Summary.h"
#include "scan/Bodies.h"

#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"

namespace graphgen::check::join {

Place placeOf(clang::SourceLocation Where, const clang::SourceManager& Sources);

class CallsElsewhere {
 public:
  CallsElsewhere(const scan::Bodies& Bodies, const UnitIndex& Unit)
      : Bodies(Bodies), Unit(Unit), Sources(Bodies.context().getSourceManager()), Linker(Bodies.context()) {}

  /// Of a function, and of the bodies that its calls come to, each place and function once. LibTorch's own functions are none of them.
  std::vector<Call> of(const flow::Summary& Whole, AnnotationsOfOne Annotations);

  /// The names of those functions, each once, and of scripts and launches of kernels whose bodies are unknown.
  std::vector<std::string> namesOf(const flow::Summary& Whole) const;

  std::string idOf(const clang::FunctionDecl& Function);

  /// One of those functions.
  bool isUnseen(const clang::FunctionDecl& Function) const;

 private:
  bool isElsewhere(const clang::FunctionDecl& Function) const;
  std::vector<Call> calleesOf(const flow::Fact& Its);

  const scan::Bodies& Bodies;
  const UnitIndex& Unit;
  const clang::SourceManager& Sources;
  clang::ASTNameGenerator Linker;
};

}  // namespace graphgen::check::join
