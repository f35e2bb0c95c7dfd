// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names; of copies to a device, by where the tensor was made.
#include "check/HostMemoryCheck.h"

#include "check/MovedTensors.h"
#include "check/code/GivenArguments.h"
#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Devices.h"
#include "check/tensors/HostTensors.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral Managing[] = {
    "cudaMalloc",    "cudaMallocManaged", "cudaMallocPitch",    "cudaMalloc3D",   "cudaMallocArray", "cudaMallocHost",
    "cudaHostAlloc", "cudaHostRegister",  "cudaHostUnregister", "cudaFree",       "cudaFreeHost",    "cudaFreeArray",
    "cuMemAlloc_v2", "cuMemFree_v2",      "cuMemAllocHost_v2",  "cuMemHostAlloc", "cuMemFreeHost",   "cublasCreate_v2",
    "cudnnCreate",   "cusolverDnCreate",  "cusparseCreate"};

constexpr llvm::StringLiteral ManagingCaches[] = {"emptyCache", "empty_cache", "CachingHostAllocator_emptyCache"};

constexpr llvm::StringLiteral Copying[] = {"cudaMemcpy",         "cudaMemcpy2D",         "cudaMemcpy3D",      "cudaMemcpyPeer",
                                           "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol", "cudaMemcpyToArray", "cudaMemcpyFromArray",
                                           "cuMemcpy",           "cuMemcpyDtoH_v2",      "cuMemcpyHtoD_v2",   "cuMemcpyDtoD_v2"};

/// A tensor of one number is filled on the device.
bool isOfOneNumber(const clang::Expr& Values) {
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&spelled(Values));
  return Construction && Construction->getNumArgs() == 1 && Construction->getArg(0)->getType()->isArithmeticType();
}

/// torch::tensor of several values: they come to the device through memory of the host.
bool holdsValues(const KnownCall& Call) {
  return Call.isOneOf({"torch::tensor", "at::tensor"}) && !Call.Arguments.empty() && !isOfOneNumber(*Call.Arguments[0]);
}

/// Of what the call itself makes a tensor on the host, which it copies to the device; else empty. Tensors of lengths are read, of which
/// LossReads tells.
llvm::StringRef copiedByItself(const KnownCall& Call) {
  const auto Given = [&](llvm::StringRef Parameter) { return argumentGiven(*Call.Function, Call.Arguments, Parameter); };
  if (Call.isOneOf({"at::ctc_loss"}) && Given("input_lengths") && libraryClass(Given("input_lengths")->getType()) == "ArrayRef") {
    return "its lists of lengths";
  }
  if (Call.isOneOf({"at::batch_norm_gather_stats"})) {
    return "its count";
  }
  const bool Packs = Call.isOneOf({"torch::nn::utils::rnn::pack_padded_sequence", "torch::nn::utils::rnn::pack_sequence"});
  return Packs && isFalse(Given("enforce_sorted"), Call.Function->getASTContext()) ? "the order of its sequences" : "";
}

/// Sizes of nested tensors, which lie on the host.
bool copiesNestedSizes(const KnownCall& Call) {
  return llvm::is_contained({"_nested_from_padded", "nested_to_padded_tensor", "to_padded_tensor"}, Call.Name);
}

/// A number, or a tensor of one that is made on the host.
bool writesHostNumber(const Indexing& Index, const Place& At) {
  return Index.IsWrite && (!Index.Written || (madeOnHost(*Index.Written) && At.Forms.hasDimensions(*Index.Written, 0, At.In)));
}

/// By a mask alone, the number is one of `masked_fill_`.
bool isByPlaces(const Indexing& Index, const Place& At) {
  const bool IsByIntegers = llvm::any_of(Index.Tensors, [&](const clang::Expr* Each) { return At.Forms.isOfIntegers(*Each, At.In); });
  return IsByIntegers || Index.Tensors.size() > 1 || (!Index.Tensors.empty() && isTrue(argumentGiven(*Index.Call, "accumulate")));
}

/// With as many integers as dimensions: what is written is of one number too, and the one is copied to the other.
bool isOfOnePlace(const Indexing& Index, const Place& At) {
  return Index.IsByTensorIndex && Index.Integers && At.Forms.hasDimensions(*Index.Indexed, *Index.Integers, At.In);
}

bool isTensorGiven(const clang::Expr& E) { return isTensor(E.getType()); }

}  // namespace

void HostMemoryCheck::judgeValues(const KnownCall& Call, clang::SourceRange Range, const Place& At) const {
  constexpr llvm::StringLiteral Message = "'tensor' copies values of the host to the device, which a graph can do from pinned memory only";
  if (llvm::any_of(Call.Arguments, [&](const clang::Expr* Each) { return namesCuda(*Each, At.Index); })) {
    report(At, Call.Where, Range, Message);
  } else if (llvm::any_of(Call.Arguments.drop_front(), [](const clang::Expr* Each) { return mayNameDevice(*Each); })) {
    suspect(At, Call.Where, Range, Message);
  }
}

void HostMemoryCheck::judgeCopy(const clang::Stmt& S, const Place& At) const {
  const TensorCall Copy = tensorCall(S, {"to", "cuda"});
  const clang::Expr* Origin = Copy && Copy.IsMethod ? madeOnHost(*tensorOf(*Copy.Call)) : nullptr;
  if (!Origin) {
    return;
  }
  const auto Any = [&](llvm::function_ref<bool(const clang::Expr&)> Is) {
    return llvm::any_of(Copy.Call->arguments(), [&](const clang::Expr* Each) { return Is(*Each); });
  };
  const auto IsHost = [&](const clang::Expr& Each) { return namesHost(Each, At.Index); };
  const auto IsCuda = [&](const clang::Expr& Each) { return namesCuda(Each, At.Index); };
  const auto Message = "'" + Copy.Name.str() + "' copies a tensor of the host to the device, which a graph can do from pinned memory only";
  const std::vector<Note> Notes = {{Origin->getExprLoc(), "the tensor is made here"}};
  if (Copy.Name == "cuda" || (Copy.Name == "to" && Any(IsCuda))) {
    report(At, Copy.Where, S.getSourceRange(), Message, Notes);
  } else if ((Any(mayNameDevice) || Any(isTensorGiven)) && !Any(IsHost)) {
    suspect(At, Copy.Where, S.getSourceRange(), Message, Notes);
  }
}

void HostMemoryCheck::judgeMoved(const clang::Stmt& S, const Place& At) const {
  const MovedTensors Tensors = movedTensors(S, At);
  const auto IsOfHost = [&](const clang::Expr* Each) { return madeOnHost(*Each) || makesHostTensor(originOf(*Each), At.Index); };
  const auto IsOnDevice = [&](const clang::Expr* Each) { return At.Forms.isOnDevice(*Each, At.In); };
  const auto Moved = llvm::find_if(Tensors.Moved, [](const clang::Expr* Each) { return madeOnHost(*Each); });
  if (Moved == Tensors.Moved.end() || llvm::all_of(Tensors.Beside, IsOfHost)) {
    return;
  }
  const clang::Expr& Origin = *madeOnHost(**Moved);
  if (llvm::any_of(Tensors.Beside, IsOnDevice) || tensorCall(Origin, {"from_blob", "tensor"})) {
    suspect(At, Tensors.Where, S.getSourceRange(),
            "'" + Tensors.Name + "' copies a tensor of the host to the device, which a graph can do from pinned memory only",
            {{Origin.getExprLoc(), "the tensor is made here"}});
  }
}

void HostMemoryCheck::judgeIndex(const Indexing& Index, const Place& At) const {
  if (!writesHostNumber(Index, At) || !(isByPlaces(Index, At) || isOfOnePlace(Index, At))) {
    return judgeMoved(*Index.Call, At);
  }
  const std::string Message = "'" + Index.Call->getDirectCallee()->getName().str() +
                              "' copies a number of the host to the device, which a graph can do from pinned memory only";
  const bool IsOnDevice = At.Forms.isOnDevice(*Index.Indexed, At.In) ||
                          llvm::any_of(Index.Tensors, [&](const clang::Expr* Each) { return At.Forms.isOnDevice(*Each, At.In); });
  if (IsOnDevice) {
    report(At, Index.Where, Index.Call->getSourceRange(), Message);
  } else if (!madeOnHost(*Index.Indexed) && !makesHostTensor(originOf(*Index.Indexed), At.Index)) {
    suspect(At, Index.Where, Index.Call->getSourceRange(), Message);
  }
}

void HostMemoryCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (!Call) {
    return judgeMoved(S, At);
  }
  const llvm::StringRef Name = Call.Name;
  const bool ManagesCache = isOfLibrary(*Call.Function) && llvm::is_contained(ManagingCaches, Name);
  if (ManagesCache || Call.isOneOf(Managing)) {
    return report(At, Call.Where, S.getSourceRange(), "'" + Name + "' manages memory when the graph is captured, not in replays");
  }
  if (Call.isOneOf(Copying)) {
    return report(At, Call.Where, S.getSourceRange(), "'" + Name + "' copies at once and beside the graph: replays do not copy");
  }
  if (const TensorCall Pinned = tensorCall(S, {"pin_memory"})) {
    const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
    if (!madeOnHost(Method ? *Method->getImplicitObjectArgument() : *Call.Arguments[0])) {
      suspect(At, Call.Where, S.getSourceRange(), "'pin_memory' copies on the host when the graph is captured, not in replays");
    }
    return;
  }
  if (const llvm::StringRef Copied = copiedByItself(Call); !Copied.empty()) {
    return report(At, Call.Where, S.getSourceRange(), "'" + Name + "' copies " + Copied + " to the device, which a graph cannot do");
  }
  if (copiesNestedSizes(Call)) {
    return suspect(At, Call.Where, S.getSourceRange(), "'" + Name + "' copies sizes to the device, which a graph cannot do");
  }
  if (holdsValues(Call)) {
    return judgeValues(Call, S.getSourceRange(), At);
  }
  if (const Indexing Index = indexing(S)) {
    return judgeIndex(Index, At);
  }
  judgeCopy(S, At);
  judgeMoved(S, At);
}

}  // namespace graphgen::check
