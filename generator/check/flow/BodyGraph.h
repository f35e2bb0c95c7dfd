// SPDX-License-Identifier: Apache-2.0
//
// The control flow of one body, as Clang's CFG has it.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/CFG.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
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
  /// The blocks that are reached by way of this one alone, itself among them; none where each execution from `Choice` on comes to it.
  llvm::BitVector guardedBy(unsigned Block, unsigned Choice, const std::set<Edge>& Taken) const;
  /// The blocks that each execution comes to that takes these edges alone and does not end in a throw.
  /// `First` has the block where another one leads at the first time, if that is known.
  llvm::BitVector certain(const std::set<Edge>& Taken, const std::map<unsigned, unsigned>& First) const;
  /// The blocks from which an execution comes to the end that takes these edges alone; the others lead to a throw.
  llvm::BitVector returning(const std::set<Edge>& Taken) const;

 private:
  using Successors = std::vector<std::vector<unsigned>>;
  /// By edges that are taken, and do not begin where a block throws.
  Successors successors(const std::set<Edge>& Taken) const;
  /// The blocks that are reached from one without another.
  llvm::BitVector reached(unsigned From, unsigned Without, const Successors& Next) const;

  std::unique_ptr<clang::CFG> Graph;
  std::unique_ptr<clang::PostOrderCFGView> Order;
  llvm::DenseSet<const clang::Stmt*> Statements;
};

}  // namespace graphgen::check::flow
