// SPDX-License-Identifier: Apache-2.0
//
// By a table, in the order of the names. docs/checks/graphed-host-item.md says what each row reads, and what was measured.
#include "check/HostReads.h"

#include "check/WriteSet.h"
#include "check/code/DataReads.h"
#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/SparseTensors.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

struct HostReadRow {
  llvm::StringLiteral Name;
  llvm::StringLiteral Tensor;  // the parameter that has to be a tensor; empty: whatever is given
  llvm::StringLiteral Unless;  // with this parameter given, or true, nothing is read
  bool IsCertain = true;
  llvm::StringLiteral Only = "";  // without this parameter true, nothing is read
};

constexpr HostReadRow HostReadRows[] = {
    {"DetectAnomalyGuard", "", "", false},
    {"_choose_qparams_per_tensor", "", ""},
    {"_fake_quantize_learnable_per_tensor_affine", "", ""},
    {"_fused_moving_avg_obs_fq_helper", "", "", true, "per_row_fake_quant"},
    {"_nested_tensor_from_mask", "", ""},
    {"_nested_tensor_from_mask_left_aligned", "", ""},
    {"_padded_dense_to_jagged_forward", "", "total_L"},
    {"_sparse_csr_prod", "", ""},
    {"_sparse_csr_sum", "", ""},
    {"_sparse_log_softmax", "", ""},
    {"_sparse_softmax", "", ""},
    {"_sparse_sparse_matmul", "", ""},
    {"_to_sparse_semi_structured", "", ""},
    {"combinations", "", ""},
    {"corrcoef", "", ""},
    {"cov", "", ""},
    {"fake_quantize_per_channel_affine", "", ""},
    {"forward_with_packed_input", "", ""},
    {"fused_moving_avg_obs_fake_quant", "", "", true, "per_row_fake_quant"},
    {"histc", "", "max"},
    {"hspmm", "", ""},
    {"index_fill", "value", "", false},
    {"index_fill_", "value", "", false},
    {"isin", "test_elements", "assume_unique", false},
    {"istft", "", ""},
    {"linspace", "end", ""},
    {"linspace", "start", ""},
    {"logspace", "end", ""},
    {"logspace", "start", ""},
    {"masked_fill", "value", "", false},
    {"masked_fill_", "value", "", false},
    {"narrow", "start", ""},
    {"normal", "std", ""},
    {"pad_packed_sequence", "", "", false},
    {"quantize_per_channel", "", ""},
    {"quantize_per_tensor", "scale", ""},
    {"quantize_per_tensor_dynamic", "", ""},
    {"randint_like", "high", "", false},
    {"searchsorted", "sorter", ""},
    {"segment_reduce", "lengths", "unsafe"},
    {"sparse_bsc_tensor", "values", "size"},
    {"sparse_bsr_tensor", "values", "size"},
    {"sparse_compressed_tensor", "values", "size"},
    {"sparse_coo_tensor", "indices", "size"},
    {"sparse_csc_tensor", "values", "size"},
    {"sparse_csr_tensor", "values", "size"},
    {"tensor_split", "tensor_indices_or_sections", "", false},
    {"to_sparse", "", ""},
    {"to_sparse_bsc", "", ""},
    {"to_sparse_bsr", "", ""},
    {"to_sparse_csc", "", ""},
    {"to_sparse_csr", "", ""},
};

constexpr llvm::StringLiteral ReadingBackwards[] = {"_fake_quantize_learnable_per_channel_affine", "cumprod", "masked_scatter", "prod",
                                                    "trace"};

const clang::Expr* given(const KnownCall& Call, llvm::StringRef Parameter) {
  return argumentGiven(*Call.Function, Call.Arguments, Parameter);
}

bool isTensorGiven(const KnownCall& Call, const HostReadRow& Each) {
  if (Each.Tensor.empty()) {
    return true;
  }
  const auto Parameter =
      llvm::find_if(Call.Function->parameters(), [&](const clang::ParmVarDecl* P) { return P->getName() == Each.Tensor; });
  const clang::Expr* Argument = given(Call, Each.Tensor);
  return Parameter != Call.Function->param_end() && Argument && takesTensor((*Parameter)->getType()) &&
         (Each.IsCertain || readsData(*Argument));
}

bool isSpared(const KnownCall& Call, const HostReadRow& Each) {
  if (!Each.Only.empty() && !isTrue(given(Call, Each.Only))) {
    return true;
  }
  const clang::Expr* Argument = Each.Unless.empty() ? nullptr : given(Call, Each.Unless);
  return Argument && (!Argument->getType()->isBooleanType() || isTrue(Argument));
}

/// Of sequences that are not sorted HostMemoryCheck says more.
bool readsLengths(const KnownCall& Call) {
  const clang::Expr* Lengths = given(Call, "lengths");
  return Lengths && readsData(*Lengths) && !isFalse(given(Call, "enforce_sorted"), Call.Function->getASTContext());
}

bool wantsGradients(AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [](const scan::ScannedCallable* Each) {
    return llvm::any_of(Each->Callable.Arguments,
                        [](const annotation::Bound& Argument) { return anyHasFlag(Argument, annotation::Flag::Grad); });
  });
}

}  // namespace

HostRead ownHostRead(const clang::Stmt& S, AnnotationsOfOne Annotations) {
  const KnownCall Call = knownCall(S);
  if (!Call || isOfC(*Call.Function)) {
    return {};
  }
  const llvm::StringRef Name = withoutOut(Call.Name);
  const auto Found = llvm::find_if(
      HostReadRows, [&](const HostReadRow& Each) { return Each.Name == Name && isTensorGiven(Call, Each) && !isSpared(Call, Each); });
  if (Found != std::end(HostReadRows)) {
    return {Call.Name, Call.Where, Found->IsCertain};
  }
  if (Name == "pack_padded_sequence" && readsLengths(Call)) {
    return {Call.Name, Call.Where};
  }
  if (const Coalescing Its = coalescing(S)) {
    return {Call.Name, Call.Where, Its.IsCertain};
  }
  const bool Differentiated = llvm::is_contained(ReadingBackwards, Call.Name) && wantsGradients(Annotations);
  return Differentiated ? HostRead{Call.Name, Call.Where, false, /*IsBackward=*/true} : HostRead();
}

}  // namespace graphgen::check
