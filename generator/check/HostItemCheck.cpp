// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and what an index is by.
#include "check/HostItemCheck.h"

#include "check/HostReads.h"
#include "check/HostValues.h"
#include "check/LongModes.h"
#include "check/LossReads.h"
#include "check/SmallSearch.h"
#include "check/code/Indices.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral ReadsIndex =
    "an index by a tensor without dimensions reads its value on the host, which a graph cannot do; index_select does not, nor an index of "
    "one "
    "dimension, as i.view(1)";

/// x[i], whose index has no dimensions where it does not throw.
bool isSubscriptByTensor(const clang::CXXOperatorCallExpr& Call) {
  return Call.getOperator() == clang::OO_Subscript && isTensor(Call.getArg(0)->getType()) && isTensor(Call.getArg(1)->getType());
}

}  // namespace

void HostItemCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"item", "is_nonzero", "_local_scalar_dense"})) {
    if (!readsOnlyHost(Read, At)) {
      report(At, Read.Where, Read.Call->getSourceRange(),
             "'" + Read.Name + "' reads a tensor's value on the host, which a graph cannot do");
    }
    return;
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S); Operator && isSubscriptByTensor(*Operator)) {
    return report(At, Operator->getArg(1)->getBeginLoc(), Operator->getSourceRange(), ReadsIndex);
  }
  if (const Indexing Index = indexing(S); Index.IsByTensorIndex) {
    const auto HasNone = [&](const clang::Expr* Each) { return At.Forms.hasDimensions(*Each, 0, At.In); };
    if (llvm::any_of(Index.Tensors, HasNone)) {
      report(At, Index.Where, Index.Call->getSourceRange(), ReadsIndex);
    }
    return;
  }
  judgeOwnRead(S, At);
}

void HostItemCheck::judgeOwnRead(const clang::Stmt& S, const Place& At) const {
  HostRead Read = ownHostRead(S, At.Annotations);
  Read = Read ? Read : lossRead(S, At);
  Read = Read ? Read : longMode(S, At);
  if (!Read || findsOneByOne(S, At)) {
    return;
  }
  const std::string Message = (Read.IsBackward ? "the backward of '" : "'") + Read.Name.str() +
                              (Read.IsCertain || Read.IsBackward ? "' reads" : "' may read") +
                              " a tensor's value on the host, which a graph cannot do";
  if (Read.IsCertain) {
    report(At, Read.Where, S.getSourceRange(), Message);
  } else {
    suspect(At, Read.Where, S.getSourceRange(), Message);
  }
}

}  // namespace graphgen::check
