// SPDX-License-Identifier: Apache-2.0
//
// The control flow of one body, as Clang's CFG has it.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/CFG.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <set>

namespace graphgen::check::flow {

class BodyGraph {
 public:
  /// Of a definition.
  explicit BodyGraph(const clang::FunctionDecl& Definition);

  /// Null where Clang makes none.
  const clang::CFG* graph() const { return Graph.get(); }
  clang::PostOrderCFGView& order() const { return *Order; }
  bool hasStatement(const clang::Stmt& S) const { return Statements.contains(&S); }

  /// An edge by the blocks' numbers.
  using Edge = std::pair<unsigned, unsigned>;
  /// The blocks that each execution comes to that takes these edges alone and does not end in a throw.
  llvm::BitVector certain(const std::set<Edge>& Taken) const;

 private:
  std::unique_ptr<clang::CFG> Graph;
  std::unique_ptr<clang::PostOrderCFGView> Order;
  llvm::DenseSet<const clang::Stmt*> Statements;
};

}  // namespace graphgen::check::flow
