// SPDX-License-Identifier: Apache-2.0
//
// From the call to the store, then through all that the unit puts there: lambdas, names of functions, objects that can be called,
// parameters and what the unit gives these, and what functions of the program return.
#include "check/calls/StoredCallables.h"

#include "check/code/Library.h"
#include "check/code/Stores.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check {
namespace {

constexpr size_t MostCallables = 32;  // of one call

const clang::Expr* calledValue(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function) {
    const clang::Expr& Callee = *Call.getCallee()->IgnoreParenImpCasts();
    const auto* OfObject = llvm::dyn_cast<clang::BinaryOperator>(&Callee);
    return OfObject && OfObject->isPtrMemOp() ? OfObject->getRHS() : &Callee;
  }
  if (!isOfLibrary(*Function) || Call.getNumArgs() == 0) {
    return nullptr;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call);
  const bool IsErased = Operator && Operator->getOperator() == clang::OO_Call && libraryClass(Operator->getArg(0)->getType()) == "function";
  const bool IsInvoke = Function->getIdentifier() && llvm::is_contained({"invoke", "apply"}, Function->getName());
  return IsErased || IsInvoke ? Call.getArg(0) : nullptr;
}

/// Of a parameter, what the calls that led to `In` gave it.
const clang::ValueDecl* storeOfCalled(const clang::Expr& Callee, const Frame& In) {
  const clang::ValueDecl* Store = storeOf(Callee);
  if (!Store || !llvm::isa<clang::ParmVarDecl>(Store)) {
    return Store;
  }
  const Owner Given = ownerOf(Callee, Aspect::Pointee, In);
  return Given.outlivesCall() ? Given.Declared : nullptr;
}

class CallableCollector {
 public:
  CallableCollector(const clang::ValueDecl& Store, const UnitIndex& Index, std::vector<StoredCallable>& Found)
      : Message("stored in '" + Store.getNameAsString() + "' here"), Index(Index), Found(Found) {}

  void collect(const clang::Stmt* S) {
    if (!S || Found.size() >= MostCallables || !Seen.insert(S).second) {
      return;
    }
    if (const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(S)) {
      return add(Lambda->getCallOperator(), Lambda->getBeginLoc());
    }
    if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(S)) {
      return ofName(*Name);
    }
    if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(S)) {
      addOperators(*Construction);
    }
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(S);
    if (const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr) {
      collectReturned(*Function);
      return collectAll(Call->arguments());
    }
    if (!llvm::isa<clang::MemberExpr>(S)) {
      collectAll(S->children());
    }
  }

  template <class Range>
  void collectAll(const Range& Values) {
    for (const clang::Stmt* Each : Values) {
      collect(Each);
    }
  }

 private:
  void add(const clang::FunctionDecl* Function, clang::SourceLocation Where) {
    const auto IsSame = [&](const StoredCallable& Each) { return Each.Function == Function; };
    if (Function && llvm::none_of(Found, IsSame)) {
      Found.push_back({Function, {Where, Message}});
    }
  }

  void ofName(const clang::DeclRefExpr& Name) {
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Name.getDecl())) {
      return add(Function, Name.getLocation());
    }
    if (const auto* Parameter = llvm::dyn_cast<clang::ParmVarDecl>(Name.getDecl())) {
      return collectAll(Index.argumentsFor(*Parameter));
    }
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name.getDecl());
    collect(Variable ? Variable->getInit() : nullptr);
  }

  void addOperators(const clang::CXXConstructExpr& Construction) {
    const clang::CXXRecordDecl& Class = *Construction.getConstructor()->getParent();
    if (isOfLibrary(Class) || Class.isLambda() || !Class.hasDefinition()) {
      return;
    }
    for (const clang::CXXMethodDecl* Each : Class.methods()) {
      if (Each->getOverloadedOperator() == clang::OO_Call) {
        add(Each, Construction.getExprLoc());
      }
    }
  }

  void collectReturned(const clang::FunctionDecl& Function) {
    const clang::FunctionDecl* Definition = nullptr;
    if (!isOfLibrary(Function) && Function.isDefined(Definition)) {
      collectReturns(Definition->getBody());
    }
  }

  void collectReturns(const clang::Stmt* S) {
    if (const auto* Return = llvm::dyn_cast_if_present<clang::ReturnStmt>(S)) {
      return collect(Return->getRetValue());
    }
    if (S && !llvm::isa<clang::Expr>(S)) {
      for (const clang::Stmt* Each : S->children()) {
        collectReturns(Each);
      }
    }
  }

  const std::string Message;
  const UnitIndex& Index;
  std::vector<StoredCallable>& Found;
  llvm::SmallPtrSet<const clang::Stmt*, 32> Seen;
};

}  // namespace

std::vector<StoredCallable> storedCallables(const clang::Stmt& S, const Frame& In, const UnitIndex& Index) {
  std::vector<StoredCallable> Found;
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::Expr* Called = Call ? calledValue(*Call) : nullptr;
  const clang::ValueDecl* Store = Called ? storeOfCalled(*Called, In) : nullptr;
  if (!Store || !llvm::isa<clang::FieldDecl, clang::VarDecl>(Store)) {
    return Found;
  }
  CallableCollector Collect(*Store, Index, Found);
  Collect.collectAll(Index.valuesOf(*Store));
  Collect.collectAll(Index.putsInto(*Store));
  return Found;
}

}  // namespace graphgen::check
