// SPDX-License-Identifier: Apache-2.0
//
// What a body does, for rules to check: the interpretation gives the facts of a body in the order of its text, each with its values.
#pragma once

#include "check/flow/State.h"
#include "check/flow/Stored.h"
#include "check/torch/Calls.h"

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::check::flow {

struct Summary;

/// A choice that leads to a fact: it is not reached without it.
struct Guard {
  const clang::Stmt* Branch;
  ValueRef Condition;
  bool IsThen;  // the condition holds
};

struct Fact {
  enum class Kind : uint8_t {
    Call,    // of Function, with Arguments, on Object; also a construction
    Enter,   // a call, or what a call leads to, runs the body of Into
    Write,   // the memory of the tensors in Object is written by At
    Rebind,  // Object is what leads to the place, From what is assigned to it
    Assign,  // the same of a variable of the call that the body does not declare: a lambda's captured one
    Read,    // of a number, a list or a pointer that outlives the call, or that nothing is known of: Object leads to it
    Look,    // through the pointer Object, at memory; or at the element that From, a number of a tensor, names
    Branch,  // on the condition From
  };

  Kind What;
  const clang::Stmt* At;
  const clang::FunctionDecl* Function = nullptr;
  ValueRef Object = nullptr;                         // of a call what its object is
  std::vector<ValueRef> Arguments = {};              // by the parameters: tensors themselves, of a list its elements together
  std::vector<const clang::Expr*> Expressions = {};  // of those; of a Branch its condition
  std::vector<ValueRef> Elements = {};               // of an index `{i, 0}`: each of what it is by
  const OperatorBinding* Operator = nullptr;         // null where the function is none of LibTorch's operators
  std::vector<Setting> Settings = {};                // of a call of a module of LibTorch's, or with options
  ValueRef From = nullptr;                           // what is assigned or asked; of a call its result
  ValueRef Computed = nullptr;                       // of a call of a module of LibTorch's its result, or all that it holds
  std::shared_ptr<const Summary> Into = nullptr;
  std::vector<Guard> Guards = {};
  bool IsCertain = true;   // each time that the body is executed and does not throw
  bool IsLikely = true;    // of an Enter: this very function or body; of a Write: it is certainly written
  bool Grows = false;      // of a Rebind by Function: what holds the place has kept what earlier calls left there
  bool IsFurther = false;  // of a Write: what it is called on was written by the same expression, `x.add_(y).mul_(2)`
  // Of a call of a virtual method or of a function object whose body is not certainly known
  std::vector<const clang::FunctionDecl*> MayRun = {};
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> Below = {};  // or of a class that derives from these, which the unit need not have
  // Of a std::function or a pointer to a function that other code may have set: what holds it, and its signature
  const clang::ValueDecl* Store = nullptr;
  const clang::FunctionProtoType* Signature = nullptr;
  bool RunsModules = false;  // or of modules of a container that other code has filled
  // Of an Enter
  clang::SourceLocation Where = {};  // what is destroyed there, if a variable
  std::string Why = {};              // this body
  clang::SourceLocation WhyAt = {};
  bool IsBackward = false;  // the call applies a torch::autograd::Function, whose backward this is
};

/// Of one body, entered in one state.
struct Summary {
  const clang::FunctionDecl* Function = nullptr;  // the definition
  std::vector<Fact> Facts;
  std::optional<State> Exit;  // none where it never returns
  ValueRef Result = nullptr;  // of a tensor, a number or a pointer; leads to an object that is returned
  bool IsCutShort = false;    // too large, or calls itself: what it does is not known in full
};

}  // namespace graphgen::check::flow
