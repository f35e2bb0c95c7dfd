// SPDX-License-Identifier: Apache-2.0
//
// Interprets the body of a callable, and those that it calls, with values instead of data: forward over Clang's CFG, up to where nothing
// changes any more. A call is followed with what it was given; a body that was entered in the same state before is not interpreted again.
#pragma once

#include "check/flow/BodyGraph.h"
#include "check/flow/Facts.h"
#include "check/flow/Stored.h"
#include "check/torch/Calls.h"
#include "check/torch/Overlay.h"
#include "scan/Scan.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace graphgen::check::flow {

/// What calls of another source give a function: what they make, which is unknown, the annotated callable's arguments, or what outlives its
/// call.
enum class Given : uint8_t { Unknown, Arguments, Kept };

class Interpreter {
 public:
  Interpreter(const scan::Bodies& Bodies, const UnitIndex& Unit) : Bodies(Bodies), Unit(Unit) {}

  /// Of an annotated callable that has a body in this file; `Annotations` are all of it.
  std::shared_ptr<const Summary> run(const clang::FunctionDecl& Definition, llvm::ArrayRef<const scan::ScannedCallable*> Annotations);

  /// Of a function that others call; its object, too, is unknown or outlives the call. Null where the body cannot be followed.
  std::shared_ptr<const Summary> run(const clang::FunctionDecl& Definition, Given As);

  /// Of the last run, where all that the callable does is too much: the first call whose body was not entered. Null where all were.
  const clang::Stmt* leftOut() const { return LeftOut; }

 private:
  friend class BodyRun;
  using Entry = std::tuple<const clang::FunctionDecl*, const void*, ValueRef>;

  std::shared_ptr<const Summary> begin(const clang::FunctionDecl& Definition, Given As);
  Value givenTo(const clang::ParmVarDecl& Parameter, Given As);
  /// Of a body, entered in the state: its parameters are set there. Null where it runs already, or where it would be too much.
  std::shared_ptr<const Summary> enter(const clang::FunctionDecl& Definition, const State& In, ValueRef Object, const clang::Stmt* Call);
  const OperatorBinding& operatorOf(const clang::FunctionDecl& Function);
  llvm::ArrayRef<const OverlayRow*> rowsOf(const clang::FunctionDecl& Function);
  const BodyGraph& graphOf(const clang::FunctionDecl& Definition);

  /// What is there when the callable begins.
  ValueRef initial(Path Of);
  /// Of an argument, which all annotations say.
  std::optional<int64_t> sizeOf(Path Of, int64_t Dimension) const;
  std::optional<int64_t> countOf(Path Of) const;
  Value initialOf(Path Of, clang::QualType Type);
  void applyAnnotations(Path Of, Value& Known);
  /// Whether the annotations make it a module or another object.
  bool isObject(const clang::ParmVarDecl& Parameter) const;
  /// Of an argument: whether annotations let its sizes differ between calls.
  bool hasManyForms(Path Of) const;
  clang::QualType typeOf(Path Of) const;
  const Stored& storedIn(const clang::ValueDecl& Store);

  const scan::Bodies& Bodies;
  const UnitIndex& Unit;
  Paths Places;
  Values Known;
  State::Factory States;
  llvm::ArrayRef<const scan::ScannedCallable*> Annotations;
  const clang::CXXRecordDecl* Object = nullptr;  // the class of the annotated method
  llvm::DenseMap<Path, ValueRef> Initials;
  llvm::DenseMap<Path, ValueRef> Constants;  // by places that are given one value
  llvm::DenseMap<const clang::FunctionDecl*, std::unique_ptr<BodyGraph>> Graphs;
  llvm::DenseMap<const clang::FunctionDecl*, std::unique_ptr<OperatorBinding>> Operators;
  std::map<const clang::FunctionDecl*, llvm::SmallVector<const OverlayRow*, 2>> Rows;
  std::map<const clang::ValueDecl*, Stored> Puts;
  std::set<const clang::FunctionDecl*> Met;  // that were entered
  std::map<Entry, std::shared_ptr<const Summary>> Entered;
  std::vector<State> Entries;  // of those, kept alive
  std::vector<const clang::FunctionDecl*> Running;
  unsigned Steps = 0;  // that are taken, of all bodies of the callable
  const clang::Stmt* LeftOut = nullptr;
};

}  // namespace graphgen::check::flow
