// SPDX-License-Identifier: Apache-2.0
//
// What the program's text says of tensors: follows variables to all that they are given, members to all that the unit gives them, calls
// into the bodies that they return from, parameters to the calls that led there.
#pragma once

#include "check/code/Form.h"
#include "check/code/Frame.h"
#include "check/state/UnitIndex.h"
#include "scan/Bodies.h"
#include "scan/Scan.h"

#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace graphgen::check {

/// Each answer is a certain yes; else nobody knows.
class TensorForms {
 public:
  TensorForms(const scan::Bodies& Bodies, const UnitIndex& Index) : Bodies(Bodies), Index(Index) {}

  bool isMask(const clang::Expr& E, const Frame& In) const;
  bool isOfIntegers(const clang::Expr& E, const Frame& In) const;
  bool hasDimensions(const clang::Expr& E, unsigned Count, const Frame& In) const;
  bool isOnDevice(const clang::Expr& E, const Frame& In) const;

  /// Of the arguments that a call or construction in `In` gives the parameters.
  std::vector<Form> given(const clang::Stmt& Call, const clang::FunctionDecl& Called, const Frame& In) const;

 private:
  const scan::Bodies& Bodies;
  const UnitIndex& Index;
};

/// Of an annotated callable's parameters: what all its annotations say.
std::vector<Form> annotatedForms(llvm::ArrayRef<const scan::ScannedCallable*> Annotations);

}  // namespace graphgen::check
