// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Print.h"

#include "check/Annotations.h"
#include "check/flow/Interpreter.h"
#include "scan/Types.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/StringExtras.h"

namespace graphgen::check::flow {
namespace {

llvm::StringLiteral wordOf(Fact::Kind What) {
  switch (What) {
    case Fact::Kind::Call:
      return "call";
    case Fact::Kind::Enter:
      return "enter";
    case Fact::Kind::Write:
      return "write";
    case Fact::Kind::Rebind:
      return "rebind";
    case Fact::Kind::Assign:
      return "assign";
    case Fact::Kind::Read:
      return "read";
    case Fact::Kind::Look:
      return "look";
    case Fact::Kind::Branch:
      return "branch";
  }
  return "";
}

class Printer {
 public:
  Printer(const clang::ASTContext& Context, llvm::raw_ostream& Out) : Sources(Context.getSourceManager()), Context(Context), Out(Out) {}

  void print(const Summary& Of, unsigned Indent) {
    for (const Fact& Each : Of.Facts) {
      print(Each, Indent);
    }
    if (Of.Result) {
      Out.indent(Indent) << "gives ";
      Of.Result->print(Out);
      Out << '\n';
    }
    if (!Of.Exit) {
      Out.indent(Indent) << "does not return\n";
    }
    if (Of.IsCutShort) {
      Out.indent(Indent) << "is too long to be followed\n";
    }
  }

 private:
  void print(const Fact& One, unsigned Indent) {
    const clang::PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(One.At->getBeginLoc()));
    Out.indent(Indent) << Place.getLine() << ':' << Place.getColumn() << ": " << wordOf(One.What) << (One.IsCertain ? "" : " perhaps");
    if (One.Function) {
      Out << ' ' << scan::qualifiedName(*One.Function);
    }
    Out << " `" << text(*One.At) << '`';
    print(" on ", One.Object);
    for (const ValueRef Each : One.Arguments) {
      print(" with ", Each);
    }
    print(One.What == Fact::Kind::Call ? " gives " : " of ", One.From);
    Out << '\n';
    if (One.Into) {
      print(*One.Into, Indent + 2);
    }
  }

  void print(llvm::StringRef Word, ValueRef Given) {
    if (Given) {
      Given->print(Out << Word);
    }
  }

  std::string text(const clang::Stmt& S) {
    const llvm::StringRef Text =
        clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(S.getSourceRange()), Sources, Context.getLangOpts());
    constexpr size_t MostText = 48;
    const llvm::StringRef Line = Text.split('\n').first;
    return Line.size() > MostText ? (Line.take_front(MostText) + "...").str() : Line.str();
  }

  const clang::SourceManager& Sources;
  const clang::ASTContext& Context;
  llvm::raw_ostream& Out;
};

}  // namespace

}  // namespace graphgen::check::flow

void graphgen::check::printFacts(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, llvm::raw_ostream& Out) {
  if (Callables.empty()) {
    return;
  }
  const UnitIndex Unit(Callables.front().Declaration->getASTContext());
  flow::Interpreter All(Bodies, Unit);
  for (const auto& [Function, Annotations] : byFunction(Callables)) {
    const scan::CallableInHand Trace(*Function);
    Out << scan::qualifiedName(*Function) << '\n';
    if (const clang::FunctionDecl* Body = Bodies.definitionOf(*Function)) {
      flow::Printer(Body->getASTContext(), Out).print(*All.run(*Body, Annotations), 2);
    }
  }
}
