// SPDX-License-Identifier: Apache-2.0
//
// Blocks are run until what they begin with, and the values that others look at, change no more.
#include "check/flow/BodyRun.h"

#include "clang/Analysis/FlowSensitive/DataflowWorklist.h"

namespace graphgen::check::flow {

BodyRun::BodyRun(Interpreter& All, const clang::FunctionDecl& Definition, const State& In, ValueRef Object)
    : All(All), Definition(Definition), Graph(All.graphOf(Definition)), Object(Object), In(In), Now(In) {
  Begins.resize(Graph.graph()->getNumBlockIDs());
  Found.resize(Begins.size());
}

Fact& BodyRun::tell(Fact::Kind What, const clang::Stmt& At) {
  Fact New;
  New.What = What;
  New.At = &At;
  return Telling->emplace_back(std::move(New));
}

void BodyRun::runInitializer(const clang::CXXCtorInitializer& Initializer) {
  const ValueRef Given = value(Initializer.getInit());
  const Path To = Object ? Object->target() : nullptr;
  if (!To) {
    return;
  }
  if (const clang::FieldDecl* Member = Initializer.getAnyMember()) {
    const Path Part = All.Places.field(To, *Member);
    put(Part, Member->getType(), Given);
  } else if (Given && Given->target()) {
    for (const auto& [Each, Known] : Now.within(Given->target())) {
      if (Each != Given->target()) {
        Now.set(All.Places.moved(Each, Given->target(), To), Known);
      }
    }
  }
}

void BodyRun::runElement(const clang::CFGElement& Element) {
  if (const auto Statement = Element.getAs<clang::CFGStmt>()) {
    const clang::Stmt& S = *Statement->getStmt();
    if (const auto* Declaration = llvm::dyn_cast<clang::DeclStmt>(&S)) {
      declare(*Declaration);
    } else if (const auto* Return = llvm::dyn_cast<clang::ReturnStmt>(&S)) {
      const ValueRef Given = Return->getRetValue() ? value(Return->getRetValue()) : nullptr;
      Result = All.Known.join(Result, Given);
      if (Given && !Given->Targets.empty()) {
        tellGiven(*Return->getRetValue(), Given);
      }
    } else if (const auto* E = llvm::dyn_cast<clang::Expr>(&S)) {
      const ValueRef New = evaluate(*E);
      ValueRef& Old = Evaluated[E];
      HasChanged |= Old != New;
      Old = New;
    }
  } else if (const auto Initializer = Element.getAs<clang::CFGInitializer>()) {
    runInitializer(*Initializer->getInitializer());
  } else if (const auto Destructor = Element.getAs<clang::CFGAutomaticObjDtor>()) {
    destroy(*Destructor->getVarDecl());
  } else if (const auto OfTemporary = Element.getAs<clang::CFGTemporaryDtor>()) {
    destroy(*OfTemporary->getBindTemporaryExpr());
  } else if (const auto OfDelete = Element.getAs<clang::CFGDeleteDtor>()) {
    destroy(*OfDelete->getDeleteExpr());
  }
}

void BodyRun::runBlock(const clang::CFGBlock& Block) {
  Now = *Begins[Block.getBlockID()];
  Found[Block.getBlockID()].clear();
  Telling = &Found[Block.getBlockID()];
  IsReached = true;
  HasChanged = false;
  for (const clang::CFGElement& Each : Block) {
    ++All.Steps;
    runElement(Each);
    if (!IsReached) {
      return;
    }
  }
}

void BodyRun::pass(const clang::CFGBlock& From, const clang::CFGBlock* To) {
  if (!To) {
    return;
  }
  const BodyGraph::Edge Edge{From.getBlockID(), To->getBlockID()};
  if (Taken.insert(Edge).second && Left.contains(Edge.second)) {
    Backwards.insert(Edge);
  }
  if (Backwards.count(Edge) != 0) {
    const auto [Known, IsNew] = Again.emplace(Edge.second, Now);
    if (!IsNew) {
      join(Known->second, Now);
    }
  }
  std::optional<State>& Begin = Begins[To->getBlockID()];
  if (!Begin) {
    Begin = Now;
  } else {
    join(*Begin, Now);
  }
}

/// Where a condition never leads at the first time, only what is there at later times goes.
void BodyRun::passAtAnyTime(const clang::CFGBlock& From, const clang::CFGBlock* To) {
  const auto AtFirst = First.find(From.getBlockID());
  const auto Later = Again.find(From.getBlockID());
  const bool IsOnlyLater =
      To && AtFirst != First.end() && AtFirst->second != To->getBlockID() && Later != Again.end() && Now == *Begins[From.getBlockID()];
  const State Both = IsOnlyLater ? std::exchange(Now, Later->second) : Now;
  pass(From, To);
  Now = Both;
}

void BodyRun::join(State& Into, const State& Other) {
  Into.join(Other, All.Known, [&](const State& In, Path Of) {
    const State Kept = std::exchange(Now, In);
    const ValueRef There = Of->isOutside() ? read(Of) : nullptr;
    Now = Kept;
    return There;
  });
}

/// The place of the successor that a known number chooses: the one of its case, else the last, of `default` and what is behind.
static unsigned chosenCase(const clang::CFGBlock& Block, int64_t Number, const clang::ASTContext& Context) {
  unsigned Place = 0;
  for (const clang::CFGBlock::AdjacentBlock& Each : Block.succs()) {
    const clang::CFGBlock* Its = Each.getReachableBlock() ? Each.getReachableBlock() : Each.getPossiblyUnreachableBlock();
    const auto* Case = llvm::dyn_cast_if_present<clang::CaseStmt>(Its ? Its->getLabel() : nullptr);
    const auto At = [&](const clang::Expr* End) { return End->EvaluateKnownConstInt(Context).getExtValue(); };
    if (Case && At(Case->getLHS()) <= Number && Number <= At(Case->getRHS() ? Case->getRHS() : Case->getLHS())) {
      return Place;
    }
    ++Place;
  }
  return Place - 1;
}

/// To the successors that the condition leaves, if it is known.
void BodyRun::leave(const clang::CFGBlock& Block) {
  const clang::Stmt* Terminator = Block.getTerminatorStmt();
  const bool IsOnce = llvm::isa_and_present<clang::DeclStmt>(Terminator);  // a static variable: made before the capture
  const auto* Condition = llvm::dyn_cast_if_present<clang::Expr>(IsOnce ? nullptr : Block.getTerminatorCondition());
  const bool IsChoice = Terminator && Condition && Block.succ_size() == 2 && !llvm::isa<clang::SwitchStmt>(Terminator);
  std::optional<unsigned> Chosen;
  if (Condition && (IsChoice || llvm::isa_and_present<clang::SwitchStmt>(Terminator)) && !llvm::isa<clang::CXXForRangeStmt>(Terminator)) {
    const ValueRef Asked = value(Condition);
    if (Asked && Asked->Number) {
      Chosen = !IsChoice ? chosenCase(Block, *Asked->Number, Definition.getASTContext()) : *Asked->Number != 0 ? 0 : 1;
    } else {
      const ValueRef Last = value(Block.getLastCondition());  // of `a && b` the operand that is asked here
      const auto Tell = [&](ValueRef From) {
        Fact& Told = tell(Fact::Kind::Branch, *Terminator);
        Told.From = From;
        Told.Expressions = {llvm::cast<clang::Expr>(Block.getTerminatorCondition(/*StripParens=*/false))};
      };
      if (Last && Last->Data && Last != Asked) {
        Tell(Last);
      }
      Tell(Asked);
    }
  }
  const bool IsFirst = Left.insert(Block.getBlockID()).second;
  unsigned Place = 0;
  for (const clang::CFGBlock::AdjacentBlock& Each : Block.succs()) {
    const bool IsTaken = IsOnce ? Place == 1 : !Chosen || *Chosen == Place;
    ++Place;
    if (IsTaken) {
      if (IsOnce && Each.getReachableBlock()) {
        Once.insert(Each.getReachableBlock()->getBlockID());
      }
      if (IsFirst && Chosen && Each.getReachableBlock()) {
        First[Block.getBlockID()] = Each.getReachableBlock()->getBlockID();
      }
      passAtAnyTime(Block, Each.getReachableBlock());
    }
  }
}

/// Of each block, by its number. An operand of `&&` and `||` is a part of the condition behind them.
std::vector<std::vector<Guard>> BodyRun::guards() const {
  std::vector<std::vector<Guard>> Of(Begins.size());
  for (const clang::CFGBlock* Choice : Graph.order()) {
    const std::vector<Fact>& Facts = Found[Choice->getBlockID()];
    const Fact* Branch = !Facts.empty() && Facts.back().What == Fact::Kind::Branch ? &Facts.back() : nullptr;
    const auto* Operator = Branch ? llvm::dyn_cast<clang::BinaryOperator>(Branch->At) : nullptr;
    if (!Branch || Choice->succ_size() != 2 || (Operator && Operator->isLogicalOp())) {
      continue;
    }
    bool IsThen = true;
    for (const clang::CFGBlock::AdjacentBlock& Each : Choice->succs()) {
      if (const clang::CFGBlock* Next = Each.getReachableBlock()) {
        const llvm::BitVector Guarded = Graph.guardedBy(Next->getBlockID(), Choice->getBlockID(), Taken);
        for (const unsigned Block : Guarded.set_bits()) {
          Of[Block].push_back({Branch->At, Branch->From, IsThen});
        }
      }
      IsThen = false;
    }
  }
  return Of;
}

std::vector<Fact> BodyRun::factsInOrder() const {
  const llvm::BitVector Certain = Graph.certain(Taken, First), Returning = Graph.returning(Taken);
  const std::vector<std::vector<Guard>> Guards = guards();
  std::vector<Fact> All;
  for (const clang::CFGBlock* Block : Graph.order()) {
    if (!Returning[Block->getBlockID()] || Once.contains(Block->getBlockID())) {
      continue;
    }
    for (Fact Each : Found[Block->getBlockID()]) {
      Each.IsCertain = Certain[Block->getBlockID()];
      Each.Guards = Guards[Block->getBlockID()];
      All.push_back(std::move(Each));
    }
  }
  return All;
}

/// A std::function that no known call comes to may be called by any holder.
void BodyRun::callKept() {
  Telling = &Found[Graph.graph()->getExit().getBlockID()];
  for (const auto& [E, Held] : Exit ? Kept : decltype(Kept)()) {
    Now = *Exit;
    std::vector<Body> Bodies = bodiesIn(*E, Held);
    llvm::erase_if(Bodies, [&](const Body& Each) { return All.Met.count(All.Bodies.definitionOf(*Each.Function)) != 0; });
    followOne({*E, nullptr, nullptr, {}, {}}, Bodies, false);
  }
}

Summary BodyRun::run() {
  clang::ForwardDataflowWorklist Open(*Graph.graph(), &Graph.order());
  Begins[Graph.graph()->getEntry().getBlockID()] = Now;
  Open.enqueueBlock(&Graph.graph()->getEntry());
  constexpr unsigned MostRounds = 64;  // of one block
  std::vector<unsigned> Rounds(Begins.size());
  Summary Made;
  while (const clang::CFGBlock* Block = Open.dequeue()) {
    if (++Rounds[Block->getBlockID()] > MostRounds) {
      Made.IsCutShort = true;
      break;
    }
    runBlock(*Block);
    if (!IsReached || Block->hasNoReturnElement()) {
      continue;
    }
    if (Block == &Graph.graph()->getExit()) {
      Exit = Now;
      continue;
    }
    std::vector<std::optional<State>> Before;
    for (const clang::CFGBlock::AdjacentBlock& Each : Block->succs()) {
      Before.push_back(Each.getReachableBlock() ? Begins[Each.getReachableBlock()->getBlockID()] : std::nullopt);
    }
    leave(*Block);
    for (const auto& [Place, Each] : llvm::enumerate(Block->succs())) {
      const clang::CFGBlock* Next = Each.getReachableBlock();
      if (Next && Begins[Next->getBlockID()] && (HasChanged || Before[Place] != Begins[Next->getBlockID()])) {
        Open.enqueueBlock(Next);
      }
    }
  }
  callKept();
  Made.Function = &Definition;
  Made.Facts = factsInOrder();
  Made.Result = Result;
  if (Exit) {
    Made.Exit = Exit->reachable({Result, Object}, In);
  }
  return Made;
}

}  // namespace graphgen::check::flow
