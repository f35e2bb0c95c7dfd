// SPDX-License-Identifier: Apache-2.0
//
// The rows are those functions of LibTorch 2.11 that end a capture on a GPU: tests/runtime/linalg_test.cpp calls each.
#include "check/LinalgSyncCheck.h"

#include "check/GivenArguments.h"
#include "check/KnownCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

struct Row {
  llvm::StringLiteral Name;
  llvm::StringLiteral Instead;  // returns the error code; empty where no function does
};

constexpr Row Rows[] = {
    {"linalg_cholesky", "linalg_cholesky_ex"},
    {"linalg_inv", "linalg_inv_ex"},
    {"inverse", "linalg_inv_ex"},
    {"linalg_solve", "linalg_solve_ex"},
    {"linalg_lu_factor", "linalg_lu_factor_ex"},
    {"linalg_ldl_factor", ""},
    {"linalg_ldl_factor_ex", ""},
    {"cholesky", "linalg_cholesky_ex"},
    {"linalg_tensorinv", ""},
    {"linalg_tensorsolve", ""},
    {"linalg_eig", ""},
    {"linalg_eigvals", ""},
    {"linalg_eigh", ""},
    {"linalg_eigvalsh", ""},
    {"linalg_svd", ""},
    {"linalg_svdvals", ""},
    {"linalg_pinv", ""},
    {"linalg_matrix_rank", ""},
    {"pinverse", ""},
    {"svd", ""},
    {"nuclear_norm", ""},
};

/// For several matrices at once MAGMA's code is taken, which copies addresses from the host.
bool copiesForBatches(llvm::StringRef Name) { return Name == "cholesky_inverse" || Name == "cholesky_solve"; }

/// Chooses by the norms how far it computes.
bool readsNorms(llvm::StringRef Name) { return Name == "matrix_exp" || Name == "linalg_matrix_exp"; }

bool isNegative(const clang::Expr* E, const clang::ASTContext& Context) {
  clang::Expr::EvalResult Value;
  return E && !E->isValueDependent() && E->EvaluateAsInt(Value, Context) && Value.Val.getInt().isNegative();
}

/// Of a norm by singular values: "nuc", 2 or -2.
bool isSpectral(const clang::Expr* Order) {
  const clang::Expr* Value = Order ? Order->IgnoreUnlessSpelledInSource() : nullptr;
  if (const auto* Negated = llvm::dyn_cast_or_null<clang::UnaryOperator>(Value)) {
    Value = Negated->getOpcode() == clang::UO_Minus ? Negated->getSubExpr()->IgnoreUnlessSpelledInSource() : nullptr;
  }
  if (const auto* Text = llvm::dyn_cast_or_null<clang::StringLiteral>(Value)) {
    return Text->getString() == "nuc";
  }
  if (const auto* Number = llvm::dyn_cast_or_null<clang::FloatingLiteral>(Value)) {
    return Number->getValue().isExactlyValue(2.0);
  }
  const auto* Number = llvm::dyn_cast_or_null<clang::IntegerLiteral>(Value);
  return Number && Number->getValue() == 2;
}

/// Functions that look for errors with some arguments only.
bool doesWithThese(const KnownCall& Call, llvm::StringRef Name) {
  const auto Given = [&](llvm::StringRef Parameter) { return argumentGiven(*Call.Function, Call.Arguments, Parameter); };
  if (Name.ends_with("_ex")) {
    return isTrue(Given("check_errors"));
  }
  if (Name == "linalg_cond") {
    return !Given("p") || isSpectral(Given("p"));
  }
  if (Name == "linalg_matrix_norm") {
    return isSpectral(Given("ord"));
  }
  return (Name == "matrix_power" || Name == "linalg_matrix_power") && isNegative(Given("n"), Call.Function->getASTContext());
}

}  // namespace

void LinalgSyncCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (!Call || isOfC(*Call.Function)) {
    return;
  }
  const llvm::StringRef Name = withoutOut(Call.Name);
  if (readsNorms(Name)) {
    return report(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' reads norms on the host, which a graph cannot do");
  }
  if (copiesForBatches(Name)) {
    return suspect(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' of a batch copies from the host, which a graph cannot do");
  }
  const auto* Found = llvm::find_if(Rows, [&](const Row& Each) { return Each.Name == Name; });
  if (Found == std::end(Rows) && !doesWithThese(Call, Name)) {
    return;
  }
  const llvm::StringRef Instead = Found == std::end(Rows) ? "" : Found->Instead;
  report(At, Call.Where, S.getSourceRange(),
         "'" + Call.Name + "' reads on the host whether it failed, which a graph cannot do" +
             (Instead.empty() ? llvm::Twine() : llvm::Twine("; '" + Instead + "' does not")));
}

}  // namespace graphgen::check
