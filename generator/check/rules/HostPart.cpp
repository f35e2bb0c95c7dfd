// SPDX-License-Identifier: Apache-2.0
//
// What graphed::host is given runs in later calls, too, when the variables of this one are gone.
#include "check/rules/Rule.h"
#include "check/rules/RunOnHost.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool changesCaptured(const clang::LambdaExpr& Part, const clang::Stmt& At) {
  const clang::ValueDecl* Changed = localChangedBy(At);
  const auto IsIt = [&](const clang::LambdaCapture& Each) { return Each.capturesVariable() && Each.getCapturedVar() == Changed; };
  return (Changed && llvm::any_of(Part.captures(), IsIt)) ||
         llvm::any_of(At.children(), [&](const clang::Stmt* Each) { return Each && changesCaptured(Part, *Each); });
}

/// Whether copies serve as well, and C++ takes the captures: `[=, x]` it does not.
bool canCapture(const clang::LambdaExpr& Part, const clang::LambdaCapture& Capture) {
  const auto IsCopy = [](const clang::LambdaCapture& Each) {
    return Each.isExplicit() && Each.capturesVariable() && Each.getCaptureKind() == clang::LCK_ByCopy &&
           !Each.getCapturedVar()->isInitCapture();
  };
  const bool HasBoth = Capture.isImplicit() ? llvm::any_of(Part.captures(), IsCopy) : Part.getCaptureDefault() == clang::LCD_ByCopy;
  return !HasBoth && !changesCaptured(Part, *Part.getBody());
}

/// `[&]` becomes `[=]`, and `[&x]` becomes `[x]`.
std::vector<clang::FixItHint> fixesOf(const clang::LambdaExpr& Part, const clang::LambdaCapture& Capture,
                                      const clang::SourceManager& Sources) {
  if (!canCapture(Part, Capture)) {
    return {};
  }
  if (Capture.isImplicit()) {
    return {clang::FixItHint::CreateReplacement(Part.getCaptureDefaultLoc(), "=")};
  }
  const clang::SourceLocation Reference = Capture.getLocation().getLocWithOffset(-1);
  const bool IsThere = Reference.isFileID() && *Sources.getCharacterData(Reference) == '&';
  return IsThere ? std::vector{clang::FixItHint::CreateRemoval(clang::CharSourceRange::getCharRange(Reference, Capture.getLocation()))}
                 : std::vector<clang::FixItHint>();
}

/// Whether it refers to a variable that this call of the callable has.
bool isOfThisCall(const clang::LambdaCapture& Capture) {
  if (!Capture.capturesVariable() || Capture.getCaptureKind() != clang::LCK_ByRef) {
    return false;
  }
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Capture.getCapturedVar());
  return !Variable || Variable->hasLocalStorage();
}

void judgeHostPart(const Occurrence& At) {
  if (!hasTrait(At, Trait::RunsOnHost) || At.Its.Expressions.empty()) {
    return;
  }
  const clang::LambdaExpr* Part = lambdaIn(*At.Its.Expressions[0]);
  if (!Part) {
    return;
  }
  const auto* Found = llvm::find_if(Part->captures(), isOfThisCall);
  if (Found != Part->capture_end()) {
    const clang::ValueDecl& Its = *Found->getCapturedVar();
    At.report(At.Rule, Part->getBeginLoc(),
              "'" + Its.getName() + "' is captured by reference, and is gone when a replay runs this: capture it by value",
              {{Its.getLocation(), "declared here"}}, fixesOf(*Part, *Found, Its.getASTContext().getSourceManager()));
  }
}

}  // namespace

const Rule rules::HostPart{.OnCall = judgeHostPart};

}  // namespace graphgen::check
