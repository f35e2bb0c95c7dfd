// SPDX-License-Identifier: Apache-2.0
//
// Any function that takes a cudaStream_t and is given the default one; a library's handle that was made and never given a stream.
#include "check/code/Library.h"
#include "check/rules/Rule.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// The structure that a handle points to; empty where the type is none.
llvm::StringRef structureOf(clang::QualType Type) {
  const auto* Pointer = Type.getCanonicalType()->getAs<clang::PointerType>();
  const clang::TagDecl* Tag = Pointer ? Pointer->getPointeeType()->getAsTagDecl() : nullptr;
  return Tag && Tag->getIdentifier() ? Tag->getName() : llvm::StringRef();
}

/// nullptr, cudaStreamLegacy, cudaStreamPerThread, getDefaultCUDAStream().
bool isDefault(flow::ValueRef Stream) {
  const auto* Made = Stream ? llvm::dyn_cast_if_present<clang::CallExpr>(Stream->Made) : nullptr;
  const bool IsGotten = Made && Made->getDirectCallee() && Made->getDirectCallee()->getName() == "getDefaultCUDAStream";
  return IsGotten || (Stream && Stream->Number);
}

/// Ask about the stream, and give it no work.
bool onlyAsks(llvm::StringRef Name) {
  return Name.starts_with("cudaStreamGet") || Name.starts_with("cudaStreamIs") || Name.starts_with("cuStreamGet") ||
         Name.starts_with("cuStreamIs") || Name == "cudaStreamDestroy";
}

/// What `kernel<<<grid, block, shared, stream>>>(...)` calls.
bool isLaunch(llvm::StringRef Name) { return Name == "cudaConfigureCall" || Name == "__cudaPushCallConfiguration"; }

void judgeHandle(const Occurrence& At, llvm::StringRef Name) {
  constexpr llvm::StringLiteral Handles[] = {"cublasContext", "cudnnContext", "cusolverDnContext", "cusparseContext", "curandGenerator_st"};
  const flow::ValueRef Handle = At.Its.Arguments.empty() ? nullptr : At.Its.Arguments[0];
  if (!Handle || Handle->Targets.empty() || !llvm::is_contained(Handles, structureOf(At.Its.Expressions[0]->getType())) ||
      Name.contains("Create") || Name.contains("Destroy") || Name.contains("SetStream")) {
    return;
  }
  const clang::ValueDecl* Named = Handle->Targets.front().Of->named();
  const llvm::ArrayRef<StateUse> Uses = Named ? At.Unit.usesOf(*Named) : llvm::ArrayRef<StateUse>();
  const auto Has = [&](llvm::StringRef Part) {
    return llvm::any_of(Uses, [&](const StateUse& Each) { return Each.Called->getIdentifier() && Each.Called->getName().contains(Part); });
  };
  if (Has("Create") && !Has("SetStream")) {
    At.suspect("'" + Name + "' works on the default stream, which is not part of the graph: '" + Named->getName() + "' was given no other");
  }
}

void judgeDefaultStream(const Occurrence& At) {
  const clang::FunctionDecl* Function = At.Its.Function;
  if (!Function || !Function->getIdentifier() || onlyAsks(Function->getName())) {
    return;
  }
  for (const auto& [Parameter, Given] : llvm::zip(Function->parameters(), At.Its.Arguments)) {
    if (structureOf(Parameter->getType()) != "CUstream_st" || !isDefault(Given)) {
      continue;
    }
    const std::string Name = isLaunch(Function->getName()) ? "a kernel" : "'" + Function->getName().str() + "'";
    const std::string Message = Name + " works on the default stream, which is not part of the graph";
    if (isOfC(*Function)) {
      At.report(Message);
    } else if (!Function->isDefined()) {
      At.suspect(Message);
    }
    return;
  }
  judgeHandle(At, Function->getName());
}

}  // namespace

const Rule rules::DefaultStream{.OnCall = judgeDefaultStream};

}  // namespace graphgen::check
