// SPDX-License-Identifier: Apache-2.0
//
// In a scan GRAPHED_FOR is a constant, so that the compiler chooses the function as it does for graphed::callable<&lib::f>.
#include "scan/NamedFunction.h"

#include "clang/AST/APValue.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/Sema.h"

namespace graphgen::scan {

const clang::FunctionDecl* namedFunction(const clang::VarDecl& Holder) {
  const clang::Expr* Given = Holder.getInit();
  // A choice among several names none of them.
  if (Given && llvm::isa<clang::AbstractConditionalOperator>(Given->IgnoreParenCasts())) {
    return nullptr;
  }
  if (!Given || Holder.isInvalidDecl() || Given->isValueDependent() || !Holder.getDeclContext()->getRedeclContext()->isFileContext()) {
    return nullptr;
  }
  const clang::APValue* Value = Holder.evaluateValue();
  if (Value && Value->isMemberPointer()) {
    return llvm::dyn_cast_or_null<clang::FunctionDecl>(Value->getMemberPointerDecl());
  }
  const auto* Pointee = Value && Value->isLValue() ? Value->getLValueBase().dyn_cast<const clang::ValueDecl*>() : nullptr;
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(Pointee);
}

void refuseNamed(const AnnotatedDecl& Annotated, Reporter& Report) {
  if (Annotated.Declaration->getDeclContext()->getRedeclContext()->isFileContext()) {
    return refuseNamed(*Annotated.Text, Report);
  }
  Report.error(Annotated.Text->location(), "graphed-declaration",
               "GRAPHED_FOR must be at namespace scope; move it out of the function or class around it");
}

void refuseNamed(const MacroText& Text, Reporter& Report) {
  Report.error(Text.location(), "graphed-declaration",
               "GRAPHED_FOR begins with the address of a function or method, '&lib::f', and names none; one of several overloads is "
               "'graphed::overload<R(Arguments)>(&lib::f)', and a template's instance needs parentheses, '(&lib::f<float, 3>)'");
}

bool isOpenEnded(const MacroText& Text, const clang::Sema& Sema) {
  if (!Text.namesFunction() || !Text.location().isFileID()) {
    return false;
  }
  const std::optional<clang::Token> Next = clang::Lexer::findNextToken(Text.end(), Sema.SourceMgr, Sema.getLangOpts());
  return !Next || Next->isNot(clang::tok::semi);
}

void refuseOpenEnd(const MacroText& Text, const clang::Sema& Sema, Reporter& Report) {
  const clang::SourceLocation Behind = clang::Lexer::getLocForEndOfToken(Text.end(), 0, Sema.SourceMgr, Sema.getLangOpts());
  Report.error(Behind, "graphed-declaration", "a ';' is missing behind GRAPHED_FOR(...)") << clang::FixItHint::CreateInsertion(Behind, ";");
}

}  // namespace graphgen::scan
