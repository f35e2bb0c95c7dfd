// SPDX-License-Identifier: Apache-2.0
//
// By a table of LibTorch's schema; an index by what is known to be a mask.
#include "check/DynamicShapeCheck.h"

#include "check/code/GivenArguments.h"
#include "check/code/Indices.h"
#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

struct ShapeRow {
  llvm::StringLiteral Name;
  llvm::StringLiteral Parameters;
  llvm::StringLiteral Unless;
};

constexpr ShapeRow Table[] = {
#include "check/DynamicShapes.inc"
};

llvm::ArrayRef<llvm::StringLiteral> names() {
  static const std::vector<llvm::StringLiteral> All = [] {
    std::vector<llvm::StringLiteral> Result;
    for (const ShapeRow& Each : Table) {
      Result.push_back(Each.Name);
    }
    return Result;
  }();
  return All;
}

/// As the table spells them.
std::string parametersOf(const TensorCall& Given) {
  std::string Letters = Given.IsMethod ? "T" : "";
  for (const clang::ParmVarDecl* Each : Given.Function->parameters()) {
    Letters += takesTensor(Each->getType()) ? 'T' : '-';
  }
  return Letters;
}

bool isInTable(const TensorCall& Call) {
  const std::string Parameters = parametersOf(Call);
  return llvm::any_of(Table, [&](const ShapeRow& Each) {
    return Each.Name == Call.Name && Each.Parameters == Parameters && (Each.Unless.empty() || !argumentGiven(*Call.Call, Each.Unless));
  });
}

/// A mask whose place a number takes is no index but `masked_fill_`, where the number is one of the host and there is no other index.
bool asksForPlaces(const Indexing& Index, const Place& At) {
  const bool ByMask = llvm::any_of(Index.Tensors, [&](const clang::Expr* Each) { return At.Forms.isMask(*Each, At.In); });
  if (!ByMask || !Index.IsWrite) {
    return ByMask;
  }
  return Index.Tensors.size() > 1 || isTrue(argumentGiven(*Index.Call, "accumulate")) ||
         (Index.Written && At.Forms.isOnDevice(*Index.Written, At.In));
}

}  // namespace

void DynamicShapeCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const Indexing Index = indexing(S); Index && asksForPlaces(Index, At)) {
    report(At, Index.Where, Index.Call->getSourceRange(),
           Index.IsWrite ? "writing a tensor at a mask needs the places where the mask is set, whose number a graph cannot follow"
                         : "an index by a mask has a shape that depends on the mask's values, which a graph cannot follow");
    return;
  }
  if (const TensorCall Call = tensorCall(S, names()); Call && isInTable(Call)) {
    tell(Call.Name, Call.Where, *Call.Call, At);
  } else if (const KnownCall Known = knownCall(S); Known && Known.isOneOf({"torch::nn::functional::one_hot"})) {
    const auto* Functional = llvm::cast<clang::CallExpr>(&S);
    if (!argumentGiven(*Functional, "num_classes")) {
      tell(Known.Name, Known.Where, *Functional, At);
    }
  }
}

void DynamicShapeCheck::tell(llvm::StringRef Name, clang::SourceLocation Where, const clang::CallExpr& Call, const Place& At) const {
  report(At, Where, Call.getSourceRange(), "the shape that '" + Name + "' gives depends on a tensor's values, which a graph cannot follow");
}

}  // namespace graphgen::check
