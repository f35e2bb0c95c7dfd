// SPDX-License-Identifier: Apache-2.0
//
// The rows are those functions of LibTorch 2.11 that end a capture on a GPU: tests/runtime/linalg_test.cpp calls most of them, and
// docs/checks/graphed-linalg-sync.md names the sources of the others.
#include "check/LinalgSyncCheck.h"

#include "check/KnownSizes.h"
#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Dimensions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace graphgen::check {
namespace {

struct LinalgRow {
  llvm::StringLiteral Name;
  llvm::StringLiteral Instead;  // returns the error code; empty where no function does
};

constexpr LinalgRow LinalgRows[] = {
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

int64_t matricesIn(llvm::ArrayRef<int64_t> Sizes) {
  const llvm::ArrayRef<int64_t> Batch = Sizes.drop_back(std::min<size_t>(Sizes.size(), 2));
  return std::accumulate(Batch.begin(), Batch.end(), int64_t{1}, std::multiplies<>());
}

/// Factors a matrix into triangles. Those that look for errors as well are rows.
bool factors(llvm::StringRef Name) {
  return llvm::is_contained(
      {"linalg_lu", "linalg_lu_factor_ex", "linalg_inv_ex", "linalg_solve_ex", "linalg_det", "det", "linalg_slogdet", "slogdet", "logdet"},
      Name);
}

/// By MAGMA's code for batches, which waits for the device before it begins.
bool factorsByMagma(llvm::ArrayRef<int64_t> Sizes) {
  if (Sizes.size() < 2) {
    return false;
  }
  const int64_t LinalgRows = Sizes[Sizes.size() - 2];
  const int64_t Matrices = matricesIn(Sizes);
  const bool ByCuda = LinalgRows == Sizes.back() && (Matrices == 1 || LinalgRows <= 16 || (LinalgRows <= 128 && Matrices <= 16));
  return Matrices != 0 && !ByCuda;
}

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

/// Of a matrix: over two dimensions, or of a tensor that has no more.
bool isOfMatrix(const KnownCall& Call, const Place& At) {
  const clang::Expr* Dimensions = argumentGiven(*Call.Function, Call.Arguments, "dim");
  const clang::Expr* Tensor = argumentGiven(*Call.Function, Call.Arguments, "self");
  return Dimensions ? lengthOf(Dimensions) == 2 : Tensor && At.Forms.hasDimensions(*Tensor, 2, At.In);
}

/// Functions that look for errors with some arguments only.
bool doesWithThese(const KnownCall& Call, llvm::StringRef Name, const Place& At) {
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
  if (Name == "linalg_norm") {
    return isSpectral(Given("ord")) && isOfMatrix(Call, At);
  }
  return (Name == "matrix_power" || Name == "linalg_matrix_power") && isNegative(Given("n"), Call.Function->getASTContext());
}

}  // namespace

void LinalgSyncCheck::judgeBatch(const KnownCall& Call, const clang::Stmt& S, const Place& At) const {
  std::vector<const clang::Expr*> Tensors;
  llvm::copy_if(Call.Arguments, std::back_inserter(Tensors), [](const clang::Expr* Each) { return isTensor(Each->getType()); });
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    Tensors.push_back(Method->getImplicitObjectArgument());
  }
  const auto Are = [&](const clang::Expr* Each) {
    return holds(*Each, At, [](llvm::ArrayRef<int64_t> Sizes) { return matricesIn(Sizes) > 1; });
  };
  const std::string Message = "'" + Call.Name.str() + "' of a batch copies from the host, which a graph cannot do";
  if (llvm::any_of(Tensors, [&](const clang::Expr* Each) { return Are(Each) == Holds::Always; })) {
    report(At, Call.Where, S.getSourceRange(), Message);
  } else if (!llvm::all_of(Tensors, [&](const clang::Expr* Each) { return Are(Each) == Holds::Never; })) {
    suspect(At, Call.Where, S.getSourceRange(), Message);
  }
}

void LinalgSyncCheck::judgeFactors(const KnownCall& Call, const clang::Stmt& S, const Place& At) const {
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const clang::Expr* Of = argumentGiven(*Call.Function, Call.Arguments, "A");
  Of = Of ? Of : Method ? Method->getImplicitObjectArgument() : argumentGiven(*Call.Function, Call.Arguments, "self");
  const Holds Waits = Of ? holds(*Of, At, factorsByMagma) : Holds::Unknown;
  const std::string Message = "'" + Call.Name.str() + "' of matrices of these sizes waits for the device, which a graph cannot do";
  if (Waits == Holds::Always) {
    report(At, Call.Where, S.getSourceRange(), Message);
  } else if (Waits == Holds::Sometimes) {
    suspect(At, Call.Where, S.getSourceRange(), Message);
  }
}

void LinalgSyncCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (!Call || isOfC(*Call.Function)) {
    return;
  }
  const llvm::StringRef Name = withoutOut(Call.Name);
  if (readsNorms(Name)) {
    return report(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' reads norms on the host, which a graph cannot do");
  }
  if (Name == "linalg_ldl_solve") {
    return report(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' waits for the device, which a graph cannot do");
  }
  if (copiesForBatches(Name)) {
    return judgeBatch(Call, S, At);
  }
  const auto* Found = llvm::find_if(LinalgRows, [&](const LinalgRow& Each) { return Each.Name == Name; });
  if (Found == std::end(LinalgRows) && !doesWithThese(Call, Name, At)) {
    return factors(Name) ? judgeFactors(Call, S, At) : void();
  }
  const llvm::StringRef Instead = Found == std::end(LinalgRows) ? "" : Found->Instead;
  report(At, Call.Where, S.getSourceRange(),
         "'" + Call.Name + "' reads on the host whether it failed, which a graph cannot do" +
             (Instead.empty() ? llvm::Twine() : llvm::Twine("; '" + Instead + "' does not")));
}

}  // namespace graphgen::check
