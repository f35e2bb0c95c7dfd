// SPDX-License-Identifier: Apache-2.0
//
// Goes down the lists of indices.
#include "check/code/Indices.h"

#include "check/code/Reassigned.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {
namespace {

using Visitor = llvm::function_ref<void(const clang::Expr&)>;

/// Of a list in a variable that stays as it was made.
const clang::Expr* listOf(const clang::Expr& E) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  return Variable && Variable->isLocalVarDecl() && !isReassigned(*Variable) ? Variable->getInit() : nullptr;
}

void eachTensor(const clang::Expr& Given, Visitor Tell) {
  const clang::Expr& E = spelled(Given);
  if (isTensor(E.getType())) {
    return Tell(E);
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  if (libraryClass(E.getType()) == "TensorIndex") {
    const bool IsConversion = Construction && !Construction->getConstructor()->isCopyOrMoveConstructor();
    if (!IsConversion) {
      Tell(E);
    } else if (Construction->getNumArgs() != 0 && isTensor(Construction->getArg(0)->getType())) {
      Tell(*Construction->getArg(0));
    }
    return;
  }
  if (const clang::Expr* List = listOf(E)) {
    return eachTensor(*List, Tell);
  }
  for (const clang::Stmt* Each : E.children()) {
    if (const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each)) {
      eachTensor(*Part, Tell);
    }
  }
}

/// What a TensorIndex is made of.
const clang::Expr& withoutTensorIndex(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  const bool IsHolder = Construction && Construction->getNumArgs() != 0 &&
                        llvm::is_contained({"TensorIndex", "SymInt"}, libraryClass(Construction->getType()));
  return IsHolder ? withoutTensorIndex(*Construction->getArg(0)) : E;
}

/// The list that an index is, where it is written out in the call.
const clang::InitListExpr* writtenList(const clang::Expr& Given) {
  const clang::Expr& E = spelled(Given);
  if (const auto* Temporary = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&E)) {
    return writtenList(*Temporary->getSubExpr());
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  return Construction && Construction->getNumArgs() == 1 ? writtenList(*Construction->getArg(0)) : llvm::dyn_cast<clang::InitListExpr>(&E);
}

bool isInteger(const clang::Expr& Index) {
  const clang::QualType Type = withoutTensorIndex(Index).getType();
  return Type->isIntegerType() && !Type->isBooleanType();
}

/// {3, 3}
std::optional<unsigned> countIntegers(const clang::Expr& E) {
  const clang::InitListExpr* List = writtenList(E);
  return List && llvm::all_of(List->inits(), [](const clang::Expr* Each) { return isInteger(*Each); }) ? std::optional(List->getNumInits())
                                                                                                       : std::nullopt;
}

/// 3, Slice(1, 4), None, "..."
bool isPart(const clang::Expr& Index) {
  const clang::Expr& E = withoutTensorIndex(Index);
  return isInteger(E) || llvm::is_contained({"Slice", "nullopt_t", "EllipsisIndexType"}, libraryClass(E.getType())) ||
         llvm::isa<clang::StringLiteral>(E);
}

/// A list of at::indexing::TensorIndex.
bool isListOfTensorIndex(clang::QualType Type) {
  const auto* List = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Type.getNonReferenceType()->getAsRecordDecl());
  return List && List->getTemplateArgs().size() != 0 && List->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
         libraryClass(List->getTemplateArgs()[0].getAsType()) == "TensorIndex";
}

}  // namespace

Indexing indexing(const clang::Stmt& S) {
  const TensorCall Call = tensorCall(S, {"index", "index_put_", "index_put"});
  const unsigned First = Call.IsMethod ? 0 : 1;
  if (!Call || Call.Call->getNumArgs() <= First) {
    return {};
  }
  const clang::Expr& Indices = *Call.Call->getArg(First);
  Indexing Result;
  Result.Call = Call.Call;
  Result.Where = Call.Where;
  eachTensor(Indices, [&](const clang::Expr& Each) { Result.Tensors.push_back(&Each); });
  Result.IsByTensorIndex = isListOfTensorIndex(Indices.getType());
  Result.Integers = countIntegers(Indices);
  Result.Indexed = tensorOf(*Call.Call);
  Result.IsWrite = Call.Name != "index";
  const clang::Expr* Value = Result.IsWrite && Call.Call->getNumArgs() > First + 1 ? Call.Call->getArg(First + 1) : nullptr;
  Result.Written = Value && isTensor(Value->getType()) ? Value : nullptr;
  return Result;
}

bool isSlicing(const clang::CallExpr& S) {
  const TensorCall Call = tensorCall(S, {"index"});
  const clang::InitListExpr* List = Call && Call.IsMethod && S.getNumArgs() == 1 ? writtenList(*S.getArg(0)) : nullptr;
  return List && isListOfTensorIndex(S.getArg(0)->getType()) &&
         llvm::all_of(List->inits(), [](const clang::Expr* Each) { return isPart(*Each); });
}

}  // namespace graphgen::check
