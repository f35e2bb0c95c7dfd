// SPDX-License-Identifier: Apache-2.0
//
// Walks a body, and the bodies that its calls come to, in the order of the text: which memory each expression shows. What a call makes a
// node of says OutlineCalls.cpp.
#pragma once

#include "check/OutlineMemory.h"
#include "check/flow/Facts.h"
#include "check/join/Calls.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include <optional>

namespace graphgen::check {

class Outliner {
 public:
  explicit Outliner(const join::CallsElsewhere& Elsewhere, const clang::SourceManager& Sources) : Elsewhere(Elsewhere), Sources(Sources) {}

  annotation::SourceGraph run(const flow::Summary& Whole);

 private:
  using Facts = std::vector<const flow::Fact*>;

  /// One run of a body.
  struct Body {
    const flow::Summary& Of;
    std::map<const clang::Stmt*, Facts> At = {};
    std::optional<std::string> This = {};  // the place of its object, "" of the callable's own
    Shown ThisShows = {};                  // else
    bool IsPerhaps = false, IsRepeated = false;
    clang::SourceLocation CalledAt = {};  // of a library's body
    unsigned Branches = 0, Loops = 0;     // around the statement
    Shown Returned = {};
  };
  struct Given {
    const clang::Expr* Object = nullptr;
    std::vector<const clang::Expr*> Arguments = {};
    Shown OfObject = {};
    std::vector<Shown> OfArguments = {};

    Shown all() const;
  };

  // Statements
  void walk(const clang::Stmt* S);
  void declare(const clang::VarDecl& Its);
  void branch(const clang::Stmt* Then, const clang::Stmt* Else);
  void loop(llvm::ArrayRef<const clang::Stmt*> Parts);
  void loopOver(const clang::CXXForRangeStmt& S);

  // Expressions
  Shown eval(const clang::Expr* E);
  Shown evalChildren(const clang::Stmt& S);
  Shown variable(const clang::ValueDecl& Its);
  Shown member(const clang::MemberExpr& E);
  Shown choice(const clang::AbstractConditionalOperator& E);
  Shown assign(const clang::Expr& E, const clang::Expr& To, const clang::Expr& From);
  void put(const clang::Expr& To, const Shown& New);
  Given givenTo(const clang::Expr& E);
  /// "block.fc", where it is outside of the call.
  std::optional<std::string> placeOf(const clang::Expr& E) const;
  static const clang::VarDecl* rootOf(const clang::Expr& E);

  // Calls
  Shown call(const clang::Expr& E);
  Shown enter(const flow::Fact& Its, const Given& With);
  Shown callOperator(const flow::Fact& Its, const Given& With);
  Shown callModules(llvm::ArrayRef<const flow::Fact*> Calls, const Given& With);
  std::optional<Shown> callOfGradients(const flow::Fact& Its, const Given& With);
  std::optional<Shown> callLibrary(const flow::Fact& Its, const Given& With, bool Writes);
  std::optional<Shown> callElsewhere(const flow::Fact& Its, const Given& With);
  Shown passOn(const clang::Expr& E, const Given& With);
  Facts factsAt(const clang::Stmt& S, flow::Fact::Kind What) const;

  /// A node that uses `Uses`, and writes `Writes`, or else makes what is returned.
  Shown add(const flow::Fact& Its, std::string Name, const Shown& Uses, const Shown& Writes = {}, const std::string& Module = "");
  annotation::SourceNode* last() { return IsAdded ? &Made.Nodes.back() : nullptr; }

  const join::CallsElsewhere& Elsewhere;
  const clang::SourceManager& Sources;
  annotation::SourceGraph Made;
  bool IsAdded = false;  // by the last call of add()
  OutlineMemories Memories;
  OutlineState Now;
  std::map<const clang::ValueDecl*, std::string> Places;  // that references and parameters lead to
  unsigned Gradients = 0;                                 // the memory of all of them
  Body* In = nullptr;
};

}  // namespace graphgen::check
