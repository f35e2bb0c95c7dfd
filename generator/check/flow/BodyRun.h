// SPDX-License-Identifier: Apache-2.0
//
// One interpretation of one body. Each of its sources has a part of C++: Expressions.cpp, Calls.cpp, Libraries.cpp, Tensors.cpp.
#pragma once

#include "check/flow/Interpreter.h"
#include "check/torch/Calls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check::flow {

/// Whether a function says what a tensor is like, and none of its values.
bool tellsForm(const clang::FunctionDecl& Function);

/// The method of a module, which may be that of a base.
const clang::CXXMethodDecl* forwardIn(const clang::CXXRecordDecl& Class);

class BodyRun {
 public:
  /// `Object` is what `this` leads to, or null.
  BodyRun(Interpreter& All, const clang::FunctionDecl& Definition, const State& In, ValueRef Object);

  Summary run();

 private:
  // BodyRun.cpp: the blocks
  void runBlock(const clang::CFGBlock& Block);
  void runElement(const clang::CFGElement& Element);
  void runInitializer(const clang::CXXCtorInitializer& Initializer);
  void leave(const clang::CFGBlock& Block);
  void join(State& Into, const State& Other);
  void callKept();
  void pass(const clang::CFGBlock& From, const clang::CFGBlock* To);
  void passAtAnyTime(const clang::CFGBlock& From, const clang::CFGBlock* To);
  std::vector<std::vector<Guard>> guards() const;
  std::vector<Fact> factsInOrder() const;

  // Memory.cpp: places and what is in them
  ValueRef read(Path Of);
  ValueRef constantIn(Path Of);
  ValueRef keptIn(Path Of, ValueRef Known);
  /// What is in the places that a reference leads to.
  ValueRef load(ValueRef Place);
  /// A tensor, a number or a pointer, `New`, is put into the places.
  bool isFirstOf(Path Element) const;
  void store(ValueRef Place, ValueRef New);
  void mayOverwrite(ValueRef Place, ValueRef New);
  /// The object is a new one at `To`, as it is where `From` leads to.
  void copyObject(Path To, ValueRef From);
  /// Puts the value of an initializer or argument, of whatever type, there.
  void put(Path To, clang::QualType Type, ValueRef New);
  ValueRef contentOf(ValueRef Place);
  /// What is at and below the places is unknown from now on.
  void forget(ValueRef Place);
  ValueRef step(ValueRef Place, llvm::function_ref<Path(Path)> Way);
  ValueRef fieldOf(ValueRef Whole, const clang::FieldDecl& Member);
  ValueRef elementOf(ValueRef Whole, ValueRef Index);
  ValueRef anyElementOf(ValueRef Whole);
  ValueRef pointeeOf(ValueRef Whole);

  // Expressions.cpp
  ValueRef value(const clang::Expr* E);
  ValueRef evaluate(const clang::Expr& E);
  ValueRef nameOf(const clang::DeclRefExpr& E);
  ValueRef memberOf(const clang::MemberExpr& E);
  ValueRef castOf(const clang::CastExpr& E);
  ValueRef unary(const clang::UnaryOperator& E);
  ValueRef binary(const clang::BinaryOperator& E);
  ValueRef listOf(const clang::InitListExpr& E);
  ValueRef closureOf(const clang::LambdaExpr& E);
  ValueRef joined(const clang::Expr& E, llvm::ArrayRef<const clang::Expr*> Arms);
  ValueRef computed(llvm::ArrayRef<ValueRef> From, std::optional<int64_t> Number = std::nullopt);
  /// The number as another type has it.
  ValueRef converted(ValueRef Number);
  ValueRef thisValue();
  void lookThrough(const clang::Expr& E, ValueRef Pointer);
  /// At the element of an array that a number of a tensor names.
  void lookAt(const clang::Expr& Element, const clang::Expr& Index);
  void declare(const clang::DeclStmt& S);
  void assign(const clang::Stmt& At, ValueRef Place, ValueRef New, const clang::FunctionDecl* By = nullptr);
  void tellRead(const clang::Expr& E, ValueRef Place);
  void tellGiven(const clang::Expr& Returned, ValueRef Tensor);
  void tellRebind(const clang::Stmt& At, ValueRef Place, ValueRef New, const clang::FunctionDecl* By);

  // Calls.cpp
  struct Called {
    const clang::Stmt& At;
    const clang::FunctionDecl* Function;  // null where unknown
    ValueRef Object;                      // what a method's object is: a place; or null
    llvm::SmallVector<const clang::Expr*, 8> Expressions;
    std::vector<ValueRef> Arguments;
  };
  ValueRef call(const clang::CallExpr& E);
  ValueRef construct(const clang::CXXConstructExpr& E);
  ValueRef make(const clang::CXXNewExpr& E);
  ValueRef perform(Called& Its);
  ValueRef ofRank(const Called& Its, ValueRef Given);
  Fact& tellCall(const Called& Its);
  ValueRef seen(const clang::Expr& E, ValueRef Given);
  void bindParameters(const clang::FunctionDecl& Definition, llvm::ArrayRef<ValueRef> Arguments, State& In);
  ValueRef returned(const clang::Expr* E, ValueRef Result);
  ValueRef unknownCall(const Called& Its);
  static bool isGradientWithout(const Called& Its);
  ValueRef computedFrom(const Called& Its);

  // Bodies.cpp: those that a call may come to
  struct Body {
    const clang::FunctionDecl* Function;
    ValueRef Object = nullptr;
    bool IsLikely = true;  // this very one
    clang::SourceLocation WhyAt = {};
    std::string Why = {};
    bool IsBackward = false;
  };
  struct BodiesOfCall {
    std::vector<Body> Known;
    llvm::SmallVector<const clang::CXXRecordDecl*, 1> Below = {};  // another class that derives from these may have it
  };
  /// Null where the body is not followed.
  std::optional<ValueRef> follow(const Called& Its, const Body& One, bool IsLikely);
  /// One of them, or none where they may not be all; null where no body is followed.
  std::optional<ValueRef> followOne(const Called& Its, llvm::ArrayRef<Body> Bodies, bool AreAll = true);
  BodiesOfCall bodiesOf(const Called& Its);
  std::vector<Body> bodiesIn(const clang::Expr& E, ValueRef Given, ValueRef Object = nullptr);
  std::optional<ValueRef> callHeld(const Called& Its, const clang::Expr& E, ValueRef Place, ValueRef Object = nullptr);
  Value classesOf(ValueRef Object, const clang::CXXRecordDecl& Named);
  bool isGivenByOthers(ValueRef Object);
  void addBodies(const clang::CXXMethodDecl& Method, const clang::CXXRecordDecl& Class, const Value& Of, ValueRef Object,
                 BodiesOfCall& Found);
  /// What got a callable may call it.
  void callBack(const Called& Its);
  std::optional<ValueRef> applyFunction(const Called& Its);

  // Modules.cpp: LibTorch's
  std::optional<ValueRef> moduleCall(const Called& Its, const clang::CXXMethodDecl& Method);
  Stored modulesAt(ValueRef Module);
  std::vector<Setting> settingsOf(const Called& Its);
  bool writeFirst(const Called& Its, llvm::ArrayRef<Setting> Said, bool IsSure);
  void runStored(const Called& Its, const Stored& Held, bool IsAmong);
  void runModules(const Called& Its, llvm::ArrayRef<Making> Modules, bool IsFirst, bool IsSure);

  // Destructors.cpp
  void destroy(const clang::VarDecl& Variable);
  void destroy(const clang::CXXBindTemporaryExpr& Temporary);
  void destroy(const clang::CXXDeleteExpr& E);
  struct Destroyed {
    const clang::Stmt& At;
    clang::SourceLocation Where;
  };
  void destroy(ValueRef Object, clang::QualType Type, const Destroyed& By, bool IsLikely, unsigned Depth);
  void destroyHeld(ValueRef Object, const clang::CXXRecordDecl& Owner, const Destroyed& By, unsigned Depth);

  // Libraries.cpp: classes and functions of the standard library, and holders
  std::optional<ValueRef> libraryCall(const Called& Its);
  ValueRef keyedElement(const Called& Its);
  ValueRef insertion(const clang::Expr& E, const Called& Its);
  std::optional<int64_t> countOf(ValueRef Whole);
  ValueRef sizeOf(ValueRef Whole, Asks For);
  bool holdPairs(Path Map, const Called& Its);
  void assignTied(const clang::CallExpr& Tie, ValueRef To, ValueRef From, clang::QualType FromType);
  void assignWhole(const Called& Its);
  void assignPlace(const clang::Stmt& At, ValueRef To, clang::QualType Type, ValueRef FromPlace);
  void swap(const Called& Its, ValueRef PlaceA, const clang::Expr& B, ValueRef PlaceB);
  std::optional<ValueRef> libraryFunction(const Called& Its);
  ValueRef partOf(ValueRef Whole, clang::QualType Type, unsigned Index);
  ValueRef tupleOf(const Called& Its, const clang::Expr& E);
  ValueRef pointerToNew(const clang::Expr& E, const Called& Its);
  std::optional<ValueRef> overlaidCall(const clang::Expr& E, const Called& Its);
  std::optional<ValueRef> libraryConstruction(const clang::CXXConstructExpr& E, const Called& Its);

  // Options.cpp: where tensors are made
  void say(const clang::Expr& Given, ValueRef Known, Value& Said);
  static Value noOptions();
  ValueRef optionsOf(Value Said, const Called& Its);
  ValueRef optionsConstruction(const clang::CXXConstructExpr& E, const Called& Its);
  ValueRef optionsCall(const Called& Its);

  // Dimensions.cpp
  /// Where all elements are known.
  std::optional<unsigned> lengthOf(ValueRef List);
  std::vector<ValueRef> elementsOf(ValueRef List);
  std::optional<int64_t> formOf(const Operator& Op, llvm::ArrayRef<ValueRef> Given);
  std::optional<unsigned> dimensionsOf(const Called& Its, const OperatorBinding& Bound, llvm::ArrayRef<ValueRef> Given);

  // Tensors.cpp: LibTorch's operators
  ValueRef operatorCall(const Called& Its, const OperatorBinding& Bound);
  bool writesAlready(const clang::Expr* E);
  std::optional<bool> isSlicing(ValueRef Indices);
  llvm::SmallVector<Path, 1> formedBy(ValueRef Tensor);
  ValueRef formOf(const Called& Its);
  ValueRef tensorsIn(ValueRef Given, const Operator::Parameter& Its);
  Change heldIn(const clang::Expr& Given, ValueRef Known);
  void wrote(ValueRef Tensor);
  ValueRef asWritten(ValueRef Tensor);

  Fact& tell(Fact::Kind What, const clang::Stmt& At);

  Interpreter& All;
  const clang::FunctionDecl& Definition;
  const BodyGraph& Graph;
  const ValueRef Object;
  const State In;
  State Now;
  unsigned Copies = 0;      // of objects, that a read has gone through
  bool IsReached = true;    // the place behind what was evaluated last
  bool HasChanged = false;  // a value that a later block may look at
  ValueRef Result = nullptr;
  std::optional<State> Exit;
  std::vector<std::optional<State>> Begins;  // of blocks
  std::vector<std::vector<Fact>> Found;      // in blocks
  /// That has been told of the call last.
  Fact& callTold(const clang::Stmt& At);
  std::vector<Fact>* Telling = nullptr;
  std::set<BodyGraph::Edge> Taken, Backwards;
  std::map<unsigned, unsigned> First;  // where a block's condition leads at the first time
  std::map<unsigned, State> Again;     // what a block begins with at later times: joined from edges backwards
  llvm::DenseSet<unsigned> Left;       // blocks that were run
  llvm::DenseSet<unsigned> Once;       // blocks that make static variables
  llvm::DenseMap<const clang::Stmt*, ValueRef> Evaluated;
  std::vector<std::pair<const clang::Expr*, ValueRef>> Kept;  // what has become a std::function
};

}  // namespace graphgen::check::flow
