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

llvm::BitVector BodyGraph::returning(const std::set<Edge>& Taken) const {
  llvm::BitVector Result(Graph->getNumBlockIDs()), Ends(Graph->getNumBlockIDs());
  for (const clang::CFGBlock* Block : *Graph) {
    Ends[Block->getBlockID()] = leaves(*Block);
  }
  Result[Graph->getExit().getBlockID()] = true;
  for (bool HasChanged = true; HasChanged;) {
    HasChanged = false;
    for (const auto& [From, To] : Taken) {
      HasChanged |= Result[To] && !Result[From] && !Ends[From];
      Result[From] = Result[From] || (Result[To] && !Ends[From]);
    }
  }
  return Result;
}

BodyGraph::Successors BodyGraph::successors(const std::set<Edge>& Taken) const {
  Successors Next(Graph->getNumBlockIDs());
  llvm::BitVector Ends(Graph->getNumBlockIDs());
  for (const clang::CFGBlock* Block : *Graph) {
    Ends[Block->getBlockID()] = leaves(*Block);
  }
  for (const auto& [From, To] : Taken) {
    if (!Ends[From]) {
      Next[From].push_back(To);
    }
  }
  return Next;
}

llvm::BitVector BodyGraph::reached(unsigned From, unsigned Without, const Successors& Next) const {
  llvm::BitVector Seen(Graph->getNumBlockIDs());
  std::vector<unsigned> Open;
  if (From != Without) {
    Open.push_back(From);
    Seen[From] = true;
  }
  while (!Open.empty()) {
    const unsigned Each = Open.back();
    Open.pop_back();
    for (const unsigned One : Next[Each]) {
      if (One != Without && !Seen[One]) {
        Seen[One] = true;
        Open.push_back(One);
      }
    }
  }
  return Seen;
}

llvm::BitVector BodyGraph::guardedBy(unsigned Block, unsigned Choice, const std::set<Edge>& Taken) const {
  const Successors Next = successors(Taken);
  if (!reached(Choice, Block, Next)[Graph->getExit().getBlockID()]) {
    return llvm::BitVector(Graph->getNumBlockIDs());
  }
  llvm::BitVector Guarded = reached(Block, Graph->getNumBlockIDs(), Next);
  Guarded.reset(reached(Graph->getEntry().getBlockID(), Block, Next));
  return Guarded;
}

// A block is certain if the exit cannot be reached without it, from the entry or from where a certain block goes at first.
llvm::BitVector BodyGraph::certain(const std::set<Edge>& Taken, const std::map<unsigned, unsigned>& First) const {
  const Successors Next = successors(Taken);
  const unsigned Exit = Graph->getExit().getBlockID();
  llvm::BitVector Certain(Graph->getNumBlockIDs());
  Certain[Exit] = true;
  std::vector<unsigned> Begins = {Graph->getEntry().getBlockID()};
  for (size_t Place = 0; Place < Begins.size(); ++Place) {
    for (unsigned Block = 0, End = Graph->getNumBlockIDs(); Block != End; ++Block) {
      Certain[Block] = Certain[Block] || Block == Begins[Place] || !reached(Begins[Place], Block, Next)[Exit];
    }
    for (const auto& [From, To] : First) {
      if (Certain[From] && !Certain[To]) {
        Begins.push_back(To);
        Certain[To] = true;
      }
    }
  }
  return Certain;
}

}  // namespace graphgen::check::flow
