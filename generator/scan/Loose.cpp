// SPDX-License-Identifier: Apache-2.0
//
// The compiler's own error is of use only where the text says nothing.
#include "scan/Loose.h"

#include "scan/NamedFunction.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/Sema.h"

namespace graphgen::scan {
namespace {

/// What follows the annotation, and others after it.
std::string wordBehind(const clang::Sema& Sema, const MacroText& Text, const MacroTexts& Texts) {
  const clang::SourceManager& Sources = Sema.SourceMgr;
  const MacroText* Last = &Text;
  for (;;) {
    const clang::SourceLocation End = Sources.getExpansionRange(Last->end()).getEnd();
    const std::optional<clang::Token> Next = clang::Lexer::findNextToken(End, Sources, Sema.getLangOpts());
    if (!Next) {
      return {};
    }
    const auto Another = Texts.find(Next->getLocation());
    if (Another == Texts.end()) {
      return clang::Lexer::getSpelling(*Next, Sources, Sema.getLangOpts());
    }
    Last = &Another->second;
  }
}

}  // namespace

void tellLoose(const clang::Sema& Sema, llvm::ArrayRef<const MacroText*> Loose, const MacroTexts& Texts, CompilerErrors& Compiler,
               Reporter& Report) {
  for (const MacroText* Text : Loose) {
    const auto Here = Texts.find(Text->location());
    if (Here != Texts.begin() && isOpenEnded(std::prev(Here)->second, Sema)) {
      continue;
    }
    const std::string Next = wordBehind(Sema, *Text, Texts);
    if (isOpenEnded(*Text, Sema)) {
      refuseOpenEnd(*Text, Sema, Report);
    } else if (Text->namesFunction()) {
      Compiler.tellFirst(Sema.SourceMgr, Text->location());
      refuseNamed(*Text, Report);
    } else if (Next == "template") {
      Report.error(Text->location(), "graphed-invalid",
                   "GRAPHED is before 'template'; write it after the template's parameters, 'template <...> GRAPHED(...) ...'");
    } else if (Next == "[") {
      Report.error(Text->location(), "graphed-declaration",
                   "cannot capture a lambda, which generated code cannot name; write a function, or a class with an operator()");
    } else {
      Compiler.tellFirst(Sema.SourceMgr, Text->location());
      Report.error(Text->location(), "graphed-invalid", "no function that compiles follows this annotation");
    }
  }
}

}  // namespace graphgen::scan
