// SPDX-License-Identifier: Apache-2.0
//
// A macro's text is an expression as a dimension is. C++ puts the text itself in the name's place, so that one with operators needs
// parentheses to be the same number everywhere.
#include "scan/MacroConstants.h"

#include "annotation/Evaluate.h"
#include "annotation/ExprParser.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

std::optional<annotation::Expr> parseExpression(llvm::StringRef Text) {
  annotation::SyntaxErrors Errors;
  annotation::TokenStream Tokens(Text, Errors);
  std::optional<annotation::Expr> Result = annotation::ExprParser(Tokens).parse("an integer");
  return Errors.empty() && Tokens.at(annotation::TokenKind::End) ? Result : std::nullopt;
}

bool needsParentheses(const annotation::Expr& Value) { return Value.Operands.size() == 2 && Value.Range.Begin == 0; }

void collectNames(const annotation::Expr& Value, std::vector<std::string>& Names) {
  if (Value.Op == annotation::Expr::Kind::Name) {
    Names.push_back(Value.Name);
  }
  llvm::for_each(Value.Operands, [&](const annotation::Expr& Each) { collectNames(Each, Names); });
}

}  // namespace

std::variant<int64_t, MacroProblem> MacroConstants::evaluate(llvm::StringRef Name) {
  const clang::MacroInfo& Macro = *macro(Name);
  if (std::optional<MacroProblem> Problem = whyNot(Name, Macro)) {
    return *std::move(Problem);
  }
  Around.push_back(Name.str());
  std::variant<int64_t, MacroProblem> Result = evaluate(Name, Macro);
  Around.pop_back();
  return Result;
}

/// Null if the name is not a macro, or is being expanded already.
const clang::MacroInfo* MacroConstants::macro(llvm::StringRef Name) const {
  if (Name.contains(':') || llvm::is_contained(Around, Name)) {
    return nullptr;
  }
  return PP.getMacroDefinitionAtLoc(PP.getIdentifierInfo(Name), Where).getMacroInfo();
}

/// What is known without reading its text.
std::optional<MacroProblem> MacroConstants::whyNot(llvm::StringRef Name, const clang::MacroInfo& Macro) const {
  const std::string Quoted = "the macro '" + Name.str() + "' ";
  if (Macro.isBuiltinMacro()) {
    return MacroProblem{Quoted + "is the compiler's and has another value in each place", "a constexpr integer can be used", Where};
  }
  if (Around.size() == annotation::MaxNesting) {
    return MacroProblem{Quoted + "is one more than the " + std::to_string(annotation::MaxNesting) + " that may be nested",
                        "it is defined here; write its value", Macro.getDefinitionLoc()};
  }
  if (Macro.isFunctionLike()) {
    return MacroProblem{Quoted + "has parameters", "it is defined here; a macro without parameters can be used", Macro.getDefinitionLoc()};
  }
  for (const clang::MacroDirective* Each = PP.getLocalMacroDirectiveHistory(PP.getIdentifierInfo(Name)); Each; Each = Each->getPrevious()) {
    const clang::MacroInfo* Other = Each->getKind() == clang::MacroDirective::MD_Define ? Each->getMacroInfo() : nullptr;
    if (Other && PP.getSourceManager().isBeforeInTranslationUnit(Where, Each->getLocation()) &&
        !Other->isIdenticalTo(Macro, PP, /*Syntactically=*/true)) {
      return MacroProblem{Quoted + "has another value later in the file", "it is defined again here; give one of the two another name",
                          Each->getLocation()};
    }
  }
  return std::nullopt;
}

std::string MacroConstants::textOf(const clang::MacroInfo& Macro) const {
  std::string Text;
  for (const clang::Token& Each : Macro.tokens()) {
    Text += Each.hasLeadingSpace() && !Text.empty() ? " " : "";
    Text += PP.getSpelling(Each);
  }
  return Text;
}

std::variant<int64_t, MacroProblem> MacroConstants::evaluate(llvm::StringRef Name, const clang::MacroInfo& Macro) {
  const std::string Text = textOf(Macro);
  const std::string Is = "the macro '" + Name.str() + "' is '" + Text + "', ";
  const std::string Here = "'" + Name.str() + "' is defined here; ";
  const auto problem = [&](const std::string& Why, const std::string& Remedy) {
    return MacroProblem{Is + Why, Here + Remedy, Macro.getDefinitionLoc()};
  };
  const std::optional<annotation::Expr> Value = parseExpression(Text);
  if (!Value) {
    return problem("which is not an integer constant", "integers, names and arithmetic with + - * / % can be used");
  }
  if (needsParentheses(*Value)) {
    return problem("which an operator beside it would take apart", "write '(" + Text + ")'");
  }
  std::vector<std::string> Names;
  collectNames(*Value, Names);
  annotation::Constants Known;
  for (const std::string& Each : Names) {
    if (Known.count(Each) > 0) {
      continue;
    }
    std::variant<int64_t, MacroProblem> Found = evaluateName(
        Each, problem("and '" + Each + "' is not an integer constant", "a constexpr integer, an enumerator or a macro can be used"));
    if (std::holds_alternative<MacroProblem>(Found)) {
      return Found;
    }
    Known.emplace(Each, std::get<int64_t>(Found));
  }
  annotation::Evaluated<int64_t> Result = annotation::evaluate(*Value, Known);
  if (const annotation::Diagnostic* Error = std::get_if<annotation::Diagnostic>(&Result)) {
    return problem("with " + Error->Message, "it needs an integer of 64 bits");
  }
  return std::get<int64_t>(Result);
}

std::variant<int64_t, MacroProblem> MacroConstants::evaluateName(llvm::StringRef Name, const MacroProblem& NoConstant) {
  if (isMacro(Name)) {
    return evaluate(Name);
  }
  if (const std::optional<int64_t> Value = ValueOf(Name)) {
    return *Value;
  }
  return NoConstant;
}

}  // namespace graphgen::scan
