// SPDX-License-Identifier: Apache-2.0
#include "check/rules/RunOnHost.h"

#include "check/flow/Types.h"
#include "check/rules/Includes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace graphgen::check {
namespace {

bool contains(const clang::Stmt* Whole, const clang::Stmt& Part) {
  return Whole == &Part || (Whole && llvm::any_of(Whole->children(), [&](const clang::Stmt* Each) { return contains(Each, Part); }));
}

/// The expression that is a statement of a block and has the part; null where there is none.
const clang::Expr* statementOf(const clang::Stmt* In, const clang::Stmt& Part) {
  for (const clang::Stmt* Each : In->children()) {
    if (!Each || !contains(Each, Part)) {
      continue;
    }
    const auto* Alone = llvm::dyn_cast<clang::Expr>(Each);
    return !Alone ? statementOf(Each, Part) : llvm::isa<clang::CompoundStmt>(In) ? Alone : nullptr;
  }
  return nullptr;
}

/// A variable of the call, or a structured binding to one.
const clang::ValueDecl* localIn(const clang::Expr* E) {
  const auto* Name = E ? llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const auto* Binding = Name ? llvm::dyn_cast<clang::BindingDecl>(Name->getDecl()) : nullptr;
  const clang::ValueDecl* Named = Binding ? Binding->getDecomposedDecl() : Name ? Name->getDecl() : nullptr;
  const auto* Variable = llvm::dyn_cast_or_null<clang::VarDecl>(Named);
  return Variable && Variable->hasLocalStorage() ? Name->getDecl() : nullptr;
}

/// Whether a copy serves as well.
bool canBeCopied(const clang::ValueDecl& Variable) {
  const clang::QualType Type = Variable.getType().getNonReferenceType();
  return flow::kindOf(Type) == flow::TypeKind::Tensor || Type->isArithmeticType() || Type->isEnumeralType();
}

bool canMove(const clang::Stmt& At) {
  if (llvm::isa<clang::LambdaExpr>(At) || localChangedBy(At)) {
    return false;
  }
  const auto* Name = llvm::dyn_cast<clang::Expr>(&At);
  const clang::ValueDecl* Variable = Name ? localIn(Name) : nullptr;
  return (!Variable || canBeCopied(*Variable)) &&
         llvm::all_of(At.children(), [](const clang::Stmt* Each) { return !Each || canMove(*Each); });
}

/// In the order of the text, each once.
void addBindings(const clang::Stmt& At, llvm::SetVector<llvm::StringRef>& Names) {
  const auto* Name = llvm::dyn_cast<clang::Expr>(&At);
  const clang::ValueDecl* Local = Name ? localIn(Name) : nullptr;
  if (Local && llvm::isa<clang::BindingDecl>(Local)) {
    Names.insert(Local->getName());
  }
  for (const clang::Stmt* Each : At.children()) {
    if (Each) {
      addBindings(*Each, Names);
    }
  }
}

/// "[=]". Before C++20 a lambda cannot capture a structured binding, so that it gets a copy by an initializer: "[=, x = x]".
std::string capturesOf(const clang::Stmt& Statement, const clang::LangOptions& Language) {
  llvm::SetVector<llvm::StringRef> Names;
  if (!Language.CPlusPlus20) {
    addBindings(Statement, Names);
  }
  std::string Captures = "[=";
  for (const llvm::StringRef Each : Names) {
    Captures += (", " + Each + " = " + Each).str();
  }
  return Captures + "]";
}

bool declaresHost(const clang::ASTContext& Context) {
  const auto Find = [&](const clang::DeclContext& In, llvm::StringRef Name) { return In.lookup(&Context.Idents.get(Name)); };
  const auto Found = Find(*Context.getTranslationUnitDecl(), "graphed");
  const auto* Runtime = Found.empty() ? nullptr : llvm::dyn_cast<clang::NamespaceDecl>(Found.front());
  return Runtime && !Find(*Runtime, "host").empty();
}

bool isIncludedFrom(clang::FileID File, clang::FileID Outer, const clang::SourceManager& Sources) {
  while (File.isValid() && File != Outer) {
    File = Sources.getFileID(Sources.getIncludeLoc(File));
  }
  return File.isValid();
}

/// In the statement's file, or the one around it that includes it outside of functions, classes and namespaces; invalid where none does.
clang::SourceLocation placeOfIncludes(const clang::FunctionDecl& Body, const clang::Stmt& Statement, const clang::SourceManager& Sources) {
  clang::SourceLocation Place = Statement.getBeginLoc();
  for (const clang::DeclContext* Each = &Body; !Each->isTranslationUnit(); Each = Each->getLexicalParent()) {
    const clang::SourceLocation Begin = Sources.getExpansionLoc(llvm::cast<clang::Decl>(Each)->getBeginLoc());
    if (!isIncludedFrom(Sources.getFileID(Place), Sources.getFileID(Begin), Sources)) {
      return {};
    }
    Place = Sources.isInFileID(Begin, Sources.getFileID(Place)) ? Place : Begin;
  }
  return Place;
}

}  // namespace

const clang::ValueDecl* localChangedBy(const clang::Stmt& At) {
  if (const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&At)) {
    return Binary->isAssignmentOp() ? localIn(Binary->getLHS()) : nullptr;
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&At)) {
    return Unary->isIncrementDecrementOp() ? localIn(Unary->getSubExpr()) : nullptr;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&At);
  return Operator && Operator->isAssignmentOp() ? localIn(Operator->getArg(0)) : nullptr;
}

const clang::LambdaExpr* lambdaIn(const clang::Expr& E) {
  const clang::Expr* Inner = E.IgnoreImplicit();
  if (const auto* Made = llvm::dyn_cast<clang::CXXConstructExpr>(Inner); Made && Made->getNumArgs() == 1) {
    Inner = Made->getArg(0)->IgnoreImplicit();
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Inner)) {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    return Variable && Variable->hasLocalStorage() && Variable->getInit() ? lambdaIn(*Variable->getInit()) : nullptr;
  }
  return llvm::dyn_cast<clang::LambdaExpr>(Inner);
}

bool isRightOnHost(llvm::StringRef Check) {
  return llvm::is_contained({"graphed-host-item", "graphed-host-compare", "graphed-host-print", "graphed-host-copy", "graphed-host-pointer",
                             "graphed-host-state"},
                            Check);
}

std::vector<clang::FixItHint> runOnHost(const clang::FunctionDecl& Body, const clang::Stmt& At) {
  const clang::Expr* Statement = Body.getBody() ? statementOf(Body.getBody(), At) : nullptr;
  if (!Statement || !canMove(*Statement) || Statement->getBeginLoc().isMacroID() || Statement->getEndLoc().isMacroID()) {
    return {};
  }
  const clang::ASTContext& Context = Body.getASTContext();
  const clang::SourceManager& Sources = Context.getSourceManager();
  const clang::SourceLocation Behind =
      clang::Lexer::findLocationAfterToken(Statement->getEndLoc(), clang::tok::semi, Sources, Context.getLangOpts(), false);
  if (Behind.isInvalid()) {
    return {};
  }
  const std::string Captures = capturesOf(*Statement, Context.getLangOpts());
  std::vector<clang::FixItHint> Fixes = {clang::FixItHint::CreateInsertion(Statement->getBeginLoc(), "graphed::host(" + Captures + " { "),
                                         clang::FixItHint::CreateInsertion(Behind, " });")};
  if (declaresHost(Context)) {
    return Fixes;
  }
  const clang::SourceLocation Place = placeOfIncludes(Body, *Statement, Sources);
  if (Place.isInvalid()) {
    return {};
  }
  if (const auto Include = fixThatIncludes("graphed/host.h", Place, Sources)) {
    Fixes.push_back(*Include);
  }
  return Fixes;
}

}  // namespace graphgen::check
