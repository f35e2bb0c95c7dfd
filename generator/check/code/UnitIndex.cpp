// SPDX-License-Identifier: Apache-2.0
//
// One pass over the program's own declarations, when the first question is asked.
#include "check/code/UnitIndex.h"

#include "check/code/Atomics.h"
#include "check/code/Library.h"
#include "check/code/Stores.h"
#include "scan/Libraries.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check {
namespace {

bool isLoop(const clang::Stmt& S) { return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(S); }

}  // namespace

struct UnitIndex::Facts {
  llvm::DenseMap<const clang::ValueDecl*, std::vector<StateWrite>> Writes;
  llvm::DenseMap<const clang::ValueDecl*, std::vector<const clang::Expr*>> Initializers;
  llvm::DenseMap<const clang::ValueDecl*, std::vector<StateUse>> Uses;
  llvm::DenseMap<const clang::FunctionDecl*, std::vector<CallSite>> Calls;
  llvm::DenseMap<const clang::ValueDecl*, std::vector<const clang::Expr*>> Puts;
  llvm::DenseMap<const clang::ValueDecl*, std::vector<const clang::Expr*>> Arguments;  // by parameter
  llvm::DenseMap<const clang::CXXMethodDecl*, std::vector<const clang::CXXMethodDecl*>> Overrides;
  llvm::SetVector<const clang::CXXMethodDecl*> Overriding;

  class Collector;
};

class UnitIndex::Facts::Collector : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit Collector(Facts& Found) : Found(Found) {}

  bool TraverseDecl(clang::Decl* D) override {
    if (!D || scan::isForeign(*D)) {
      return true;
    }
    const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (!Function) {
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
    }
    const llvm::SaveAndRestore OfFunction(In, &patternOf(*Function));
    const llvm::SaveAndRestore Outside(Loops, 0U);
    return clang::DynamicRecursiveASTVisitor::TraverseDecl(D);
  }

  bool dataTraverseStmtPre(clang::Stmt* S) override {
    Loops += isLoop(*S);
    return true;
  }
  bool dataTraverseStmtPost(clang::Stmt* S) override {
    Loops -= isLoop(*S);
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* S) override {
    if (S->isAssignmentOp()) {
      add(*S->getLHS(), S->getOperatorLoc(), S->getRHS(), S->isCompoundAssignmentOp());
    }
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator* S) override {
    if (S->isIncrementDecrementOp()) {
      add(*S->getSubExpr(), S->getOperatorLoc(), nullptr, true);
    }
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* Call) override {
    const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Call);
    if (Operator && Operator->getOperator() == clang::OO_Equal) {
      add(*Operator->getArg(0), Operator->getOperatorLoc(), Operator->getArg(1), false);
    }
    if (const AtomicWrite Write = atomicWrite(*Call)) {
      add(*Write.Target, Write.Where, Write.Value, !Write.Value);
    }
    if (const clang::FunctionDecl* Callee = Call->getDirectCallee()) {
      const clang::FunctionDecl& F = patternOf(*Callee);
      Found.Calls[&F].push_back({In, Loops != 0});
      addUses(*Call, F);
      const unsigned Object = Operator && llvm::isa<clang::CXXMethodDecl>(F) ? 1 : 0;
      addArguments(F, llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()).drop_front(Object));
    }
    const auto* OnObject = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call);
    if (const clang::Expr* Store = OnObject ? storeGivenTo(*OnObject) : nullptr) {
      for (const clang::Expr* Each : Call->arguments()) {
        addPut(*Store, *Each);
      }
    }
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr* Construction) override {
    addArguments(patternOf(*Construction->getConstructor()), llvm::ArrayRef(Construction->getArgs(), Construction->getNumArgs()));
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr* List) override {
    const clang::InitListExpr* Semantic = List->isSemanticForm() ? List : List->getSemanticForm();
    // Within what the compiler refuses there may be no list, nor some of its elements.
    const auto* Class = !Semantic || Semantic->getType().isNull() ? nullptr : Semantic->getType()->getAsCXXRecordDecl();
    if (Class && !Class->isUnion() && Class->isAggregate() && Class->getNumBases() == 0) {
      for (const auto& [Field, Each] : llvm::zip(Class->fields(), Semantic->inits())) {
        if (Each && !llvm::isa<clang::CXXDefaultInitExpr, clang::ImplicitValueInitExpr>(Each)) {
          Found.Initializers[&patternOf(*Field)].push_back(Each);
        }
      }
    }
    return true;
  }

  bool VisitCXXMethodDecl(clang::CXXMethodDecl* Method) override {
    addOverride(*Method);
    return true;
  }

  bool VisitClassTemplateDecl(clang::ClassTemplateDecl* Template) override {
    for (const clang::ClassTemplateSpecializationDecl* Instance : Template->specializations()) {
      llvm::for_each(Instance->methods(), [&](const clang::CXXMethodDecl* Each) { addOverride(*Each); });
    }
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl* Constructor) override {
    for (const clang::CXXCtorInitializer* Each : Constructor->inits()) {
      if (Each->isMemberInitializer() && Each->isWritten()) {
        Found.Initializers[&patternOf(*Each->getMember())].push_back(Each->getInit());
      }
    }
    return true;
  }

 private:
  void add(const clang::Expr& Target, clang::SourceLocation Where, const clang::Expr* Value, bool IsUpdate) {
    const Path To = pathOf(shownBy(Target));
    if (To.Named) {
      Found.Writes[To.Named].push_back({In, Where, To, Value, IsUpdate || mentions(*Value, To), Loops != 0});
    } else if (Value) {
      addPut(Target, *Value);
    }
  }

  void addPut(const clang::Expr& Target, const clang::Expr& Value) {
    if (const clang::ValueDecl* Store = storeOf(Target)) {
      Found.Puts[Store].push_back(&Value);
    }
  }

  void addArguments(const clang::FunctionDecl& F, llvm::ArrayRef<const clang::Expr*> Given) {
    if (isOfLibrary(F)) {
      return;
    }
    for (const auto& [Parameter, Each] : llvm::zip(F.parameters(), Given)) {
      Found.Arguments[Parameter].push_back(Each);
    }
  }

  void addOverride(const clang::CXXMethodDecl& Method) {
    if (Method.isDependentContext() || !Method.isCanonicalDecl()) {
      return;
    }
    for (const clang::CXXMethodDecl* Each : Method.overridden_methods()) {
      Found.Overriding.insert(&Method);
      std::vector<const clang::CXXMethodDecl*>& Known = Found.Overrides[Each->getCanonicalDecl()];
      if (!llvm::is_contained(Known, &Method)) {
        Known.push_back(&Method);
      }
    }
  }

  void addUses(const clang::CallExpr& Call, const clang::FunctionDecl& F) {
    const auto Add = [&](const clang::Expr& Used) {
      if (const clang::ValueDecl* Named = pathOf(Used).Named) {
        Found.Uses[Named].push_back({In, &F, Call.getExprLoc()});
      }
    };
    if (const auto* OfMethod = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
      Add(*OfMethod->getImplicitObjectArgument());
    }
    for (const clang::Expr* Each : Call.arguments()) {
      const auto* Address = llvm::dyn_cast<clang::UnaryOperator>(Each->IgnoreParenImpCasts());
      Add(Address && Address->getOpcode() == clang::UO_AddrOf ? *Address->getSubExpr() : *Each);
    }
  }

  Facts& Found;
  const clang::FunctionDecl* In = nullptr;
  unsigned Loops = 0;
};

UnitIndex::UnitIndex(const clang::ASTContext& Context) : Context(Context) {}
UnitIndex::~UnitIndex() = default;

const UnitIndex::Facts& UnitIndex::facts() const {
  if (!Known) {
    Known = std::make_unique<Facts>();
    Facts::Collector Collect(*Known);
    for (clang::Decl* Each : Context.getTranslationUnitDecl()->noload_decls()) {
      Collect.TraverseDecl(Each);
    }
  }
  return *Known;
}

template <class Map, class Key>
static auto found(const Map& All, const Key& Wanted) {
  const auto Place = All.find(&Wanted);
  return Place == All.end() ? llvm::ArrayRef<typename Map::mapped_type::value_type>() : llvm::ArrayRef(Place->second);
}

llvm::ArrayRef<StateWrite> UnitIndex::writesTo(const clang::ValueDecl& D) const { return found(facts().Writes, patternOf(D)); }

llvm::ArrayRef<const clang::Expr*> UnitIndex::putsInto(const clang::ValueDecl& D) const { return found(facts().Puts, patternOf(D)); }

llvm::ArrayRef<const clang::Expr*> UnitIndex::argumentsFor(const clang::ParmVarDecl& Parameter) const {
  const auto* F = llvm::dyn_cast<clang::FunctionDecl>(Parameter.getDeclContext());
  const unsigned Index = Parameter.getFunctionScopeIndex();
  const bool IsKnown = F && Index < patternOf(*F).getNumParams();
  return IsKnown ? found(facts().Arguments, *patternOf(*F).getParamDecl(Index)) : llvm::ArrayRef<const clang::Expr*>();
}

llvm::ArrayRef<const clang::CXXMethodDecl*> UnitIndex::overridesOf(const clang::CXXMethodDecl& Method) const {
  return found(facts().Overrides, *Method.getCanonicalDecl());
}

llvm::ArrayRef<const clang::CXXMethodDecl*> UnitIndex::overriding() const { return facts().Overriding.getArrayRef(); }

llvm::ArrayRef<StateUse> UnitIndex::usesOf(const clang::ValueDecl& D) const { return found(facts().Uses, patternOf(D)); }

llvm::ArrayRef<CallSite> UnitIndex::callsOf(const clang::FunctionDecl& F) const { return found(facts().Calls, patternOf(F)); }

std::vector<const clang::Expr*> UnitIndex::valuesOf(const clang::ValueDecl& Given) const {
  const clang::ValueDecl& D = patternOf(Given);
  std::vector<const clang::Expr*> Values = found(facts().Initializers, D).vec();
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D);
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&D);
  if (const clang::Expr* Own = Field ? Field->getInClassInitializer() : Variable ? Variable->getAnyInitializer() : nullptr) {
    Values.push_back(Own);
  }
  for (const StateWrite& Each : writesTo(D)) {
    if (Each.Value) {
      Values.push_back(Each.Value);
    }
  }
  return Values;
}

}  // namespace graphgen::check
