// SPDX-License-Identifier: Apache-2.0
//
// A visitor that knows what stands around what it visits.
#pragma once

#include "clang/AST/DynamicRecursiveASTVisitor.h"

#include <vector>

namespace graphgen::check {

class SurroundedVisitor : public clang::DynamicRecursiveASTVisitor {
 public:
  bool dataTraverseStmtPre(clang::Stmt* S) override {
    Around.push_back(S);
    return true;
  }
  bool dataTraverseStmtPost(clang::Stmt* /*S*/) override {
    Around.pop_back();
    return true;
  }

 protected:
  std::vector<const clang::Stmt*> Around;  // from the outermost statement to what is visited
};

}  // namespace graphgen::check
