// SPDX-License-Identifier: Apache-2.0
#include "check/flow/BodyGraph.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check::flow {
namespace {

clang::CFG::BuildOptions options() {
  clang::CFG::BuildOptions Options;
  Options.AddImplicitDtors = true;
  Options.AddTemporaryDtors = true;
  Options.AddInitializers = true;
  Options.AddStaticInitBranches = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.AddCXXDefaultInitExprInAggregates = true;
  Options.setAllAlwaysAdd();
  return Options;
}

/// Whether the block ends in a throw, or in a call that does not return.
bool leaves(const clang::CFGBlock& Block) {
  if (Block.hasNoReturnElement()) {
    return true;
  }
  for (const clang::CFGElement& Each : Block) {
    const auto Statement = Each.getAs<clang::CFGStmt>();
    if (Statement && llvm::isa<clang::CXXThrowExpr>(Statement->getStmt())) {
      return true;
    }
  }
  return false;
}

}  // namespace

BodyGraph::BodyGraph(const clang::FunctionDecl& Definition) {
  Graph = clang::CFG::buildCFG(&Definition, Definition.getBody(), &Definition.getASTContext(), options());
  if (!Graph) {
    return;
  }
  Order = std::make_unique<clang::PostOrderCFGView>(Graph.get());
  for (const clang::CFGBlock* Block : *Graph) {
    for (const clang::CFGElement& Each : *Block) {
      if (const auto Statement = Each.getAs<clang::CFGStmt>()) {
        Statements.insert(Statement->getStmt());
      }
    }
  }
}

// A block is certain if the exit cannot be reached without it.
llvm::BitVector BodyGraph::certain(const std::set<Edge>& Taken) const {
  const unsigned Entry = Graph->getEntry().getBlockID(), Exit = Graph->getExit().getBlockID();
  std::vector<std::vector<unsigned>> Next(Graph->getNumBlockIDs());
  llvm::BitVector Ends(Graph->getNumBlockIDs());
  for (const clang::CFGBlock* Block : *Graph) {
    Ends[Block->getBlockID()] = leaves(*Block);
  }
  for (const auto& [From, To] : Taken) {
    if (!Ends[From]) {
      Next[From].push_back(To);
    }
  }
  const auto ReachesExitWithout = [&](unsigned Left) {
    llvm::BitVector Seen(Graph->getNumBlockIDs());
    std::vector<unsigned> Open = {Entry};
    Seen[Entry] = true;
    Seen[Left] = true;
    while (!Open.empty()) {
      const unsigned Each = Open.back();
      Open.pop_back();
      if (Each == Exit) {
        return true;
      }
      for (const unsigned One : Next[Each]) {
        if (!Seen[One]) {
          Seen[One] = true;
          Open.push_back(One);
        }
      }
    }
    return false;
  };
  llvm::BitVector Certain(Graph->getNumBlockIDs());
  for (unsigned Block = 0, End = Graph->getNumBlockIDs(); Block != End; ++Block) {
    Certain[Block] = Block == Entry || Block == Exit || !ReachesExitWithout(Block);
  }
  return Certain;
}

}  // namespace graphgen::check::flow
