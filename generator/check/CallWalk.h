// SPDX-License-Identifier: Apache-2.0
//
// Follows the calls from an annotated callable into every body that the translation unit has.
#pragma once

#include "check/CaptureCheck.h"
#include "check/code/Callee.h"
#include "scan/Bodies.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace clang {
class LambdaExpr;
}

namespace graphgen::check {

class CallWalk {
 public:
  CallWalk(llvm::ArrayRef<const CaptureCheck*> Checks, const scan::Bodies& Bodies, const UnitIndex& Index, AnnotationsOfOne Annotations,
           Findings& Found)
      : Checks(Checks), Bodies(Bodies), Index(Index), Forms(Bodies, Index), Annotations(Annotations), Found(Found) {}

  /// Nothing where the body is in another file.
  void run(const clang::FunctionDecl& Annotated);

  /// The bodies that were judged, each once or more often.
  const std::deque<Frame>& frames() const { return Frames; }

 private:
  void enter(const clang::FunctionDecl* Function, Frame New);
  void follow(const clang::Stmt& S, const Place& At);
  void followCallee(const clang::Stmt& S, const Place& At);
  void walk(const Frame& In);
  void walkUncalledLambdas();

  /// What a body was given and on which object, and if it is a lambda's what the bodies around it were.
  using Facts = std::vector<std::tuple<PassedOwners, ObjectClass, std::vector<Form>>>;
  static Facts factsOf(const Frame& In);
  std::vector<Form> formsGiven(const clang::Stmt& Call, const clang::FunctionDecl& Called, const Frame& In) const;
  using CertainByFacts = std::map<Facts, bool>;

  llvm::ArrayRef<const CaptureCheck*> Checks;
  const scan::Bodies& Bodies;
  const UnitIndex& Index;
  const TensorForms Forms;
  AnnotationsOfOne Annotations;
  Findings& Found;
  std::deque<Frame> Frames;
  size_t Next = 0;                                                         // of those, to walk
  llvm::DenseMap<const clang::FunctionDecl*, CertainByFacts> Walked;       // by definition
  std::vector<std::pair<const clang::LambdaExpr*, const Frame*>> Lambdas;  // of variables only where somebody uses these
};

}  // namespace graphgen::check
