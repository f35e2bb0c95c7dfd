// SPDX-License-Identifier: Apache-2.0
//
// Any function that takes a cudaStream_t and is given the default one; a library's handle that was made and never given a stream.
#include "check/DefaultStreamCheck.h"

#include "check/code/Callee.h"
#include "check/code/KnownCalls.h"
#include "check/code/Paths.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// The structure that a handle points to; empty where the type is none.
llvm::StringRef handleOf(clang::QualType Type) {
  const auto* Pointer = Type.getCanonicalType()->getAs<clang::PointerType>();
  const clang::TagDecl* Tag = Pointer ? Pointer->getPointeeType()->getAsTagDecl() : nullptr;
  return Tag && Tag->getIdentifier() ? Tag->getName() : llvm::StringRef();
}

bool isDefaultStreamsGetter(const clang::Expr& E) {
  const KnownCall Call = knownCall(E);
  return Call && Call.isOneOf({"c10::cuda::getDefaultCUDAStream", "at::cuda::getDefaultCUDAStream"});
}

/// 0, nullptr, {}, cudaStreamLegacy, cudaStreamPerThread, getDefaultCUDAStream().
bool isDefaultStream(const clang::Expr& Given, const clang::ASTContext& Context) {
  const clang::Expr* E = &Given;
  if (const auto* Default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(E)) {
    E = Default->getExpr();
  }
  E = &withoutCasts(*E);
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(E)) {
    return List->getNumInits() == 0 || isDefaultStream(*List->getInit(0), Context);
  }
  if (llvm::isa<clang::CXXScalarValueInitExpr, clang::ImplicitValueInitExpr, clang::IntegerLiteral, clang::GNUNullExpr>(E)) {
    return true;
  }
  if (const auto* Converted = llvm::dyn_cast<clang::CXXMemberCallExpr>(E)) {
    return isDefaultStreamsGetter(originOf(*Converted->getImplicitObjectArgument()));
  }
  return E->isNullPointerConstant(const_cast<clang::ASTContext&>(Context), clang::Expr::NPC_ValueDependentIsNotNull) !=
         clang::Expr::NPCK_NotNull;
}

const clang::Expr* streamArgument(const clang::CallExpr& Call, const clang::FunctionDecl& Function) {
  for (unsigned Index = 0; Index < Call.getNumArgs() && Index < Function.getNumParams(); ++Index) {
    if (handleOf(Function.getParamDecl(Index)->getType()) == "CUstream_st") {
      return Call.getArg(Index);
    }
  }
  return nullptr;
}

/// Ask about the stream, and give it no work.
bool onlyAsks(llvm::StringRef Name) {
  return Name.starts_with("cudaStreamGet") || Name.starts_with("cudaStreamIs") || Name.starts_with("cuStreamGet") ||
         Name.starts_with("cuStreamIs") || Name == "cudaStreamDestroy";
}

constexpr llvm::StringLiteral WithoutStream[] = {"cudaMemset",     "cudaMemset2D", "cudaMemset3D", "cuMemsetD8_v2",
                                                 "cuMemsetD32_v2", "cudaLaunch",   "cuLaunchGrid"};

constexpr llvm::StringLiteral Handles[] = {"cublasContext", "cudnnContext", "cusolverDnContext", "cusparseContext", "curandGenerator_st"};

bool isMadeOrGivenStream(llvm::StringRef Name) { return Name.contains("Create") || Name.contains("Destroy") || Name.contains("SetStream"); }

}  // namespace

void DefaultStreamCheck::judgeHandle(const clang::CallExpr& Call, const clang::FunctionDecl& Function, const Place& At) const {
  const clang::Expr* Handle = Call.getNumArgs() != 0 ? Call.getArg(0)->IgnoreParenImpCasts() : nullptr;
  if (!Handle || !llvm::is_contained(Handles, handleOf(Handle->getType())) || isMadeOrGivenStream(Function.getName())) {
    return;
  }
  const clang::ValueDecl* Named = pathOf(*Handle).Named;
  const llvm::ArrayRef<StateUse> Uses = Named ? At.Index.usesOf(*Named) : llvm::ArrayRef<StateUse>();
  const auto Has = [&](llvm::StringRef Part) {
    return llvm::any_of(Uses, [&](const StateUse& Each) { return Each.Called->getIdentifier() && Each.Called->getName().contains(Part); });
  };
  if (Has("Create") && !Has("SetStream")) {
    suspect(At, nameOf(Call), Call.getSourceRange(),
            "'" + Function.getName() + "' works on the default stream, which is no part of the graph: '" + Named->getName() +
                "' was given no other");
  }
}

void DefaultStreamCheck::check(const clang::Stmt& S, const Place& At) const {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !Function->getIdentifier() || onlyAsks(Function->getName())) {
    return;
  }
  const bool IsKnown = isOfC(*Function);
  const clang::Expr* Stream = streamArgument(*Call, *Function);
  const bool IsOnDefault =
      Stream ? isDefaultStream(*Stream, Function->getASTContext()) : IsKnown && llvm::is_contained(WithoutStream, Function->getName());
  if (!IsOnDefault) {
    return judgeHandle(*Call, *Function, At);
  }
  const auto Message = "'" + Function->getName().str() + "' works on the default stream, which is no part of the graph";
  if (IsKnown) {
    report(At, nameOf(*Call), S.getSourceRange(), Message);
  } else if (!Function->isDefined()) {
    suspect(At, nameOf(*Call), S.getSourceRange(), Message);
  }
}

}  // namespace graphgen::check
