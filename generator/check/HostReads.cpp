// SPDX-License-Identifier: Apache-2.0
//
// By a table, in the order of the names. docs/checks/graphed-host-item.md says what each row reads, and what was measured.
#include "check/HostReads.h"

#include "check/DataReads.h"
#include "check/GivenArguments.h"
#include "check/KnownCalls.h"
#include "check/ModuleRuns.h"
#include "check/SparseTensors.h"
#include "check/TensorCalls.h"
#include "check/WriteSet.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

struct Row {
  llvm::StringLiteral Name;
  llvm::StringLiteral Tensor;  // the parameter that has to be a tensor; empty: whatever is given
  llvm::StringLiteral Unless;  // with this parameter given, or true, nothing is read
  bool IsCertain = true;
};

constexpr Row Rows[] = {
    {"combinations", "", ""},
    {"corrcoef", "", ""},
    {"cov", "", ""},
    {"ctc_loss", "input_lengths", ""},
    {"fake_quantize_per_channel_affine", "", ""},
    {"histc", "", "max"},
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
    {"pack_padded_sequence", "lengths", "", false},
    {"quantize_per_tensor", "scale", ""},
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

constexpr llvm::StringLiteral ReadingBackwards[] = {"cumprod", "masked_scatter", "prod"};

const clang::Expr* given(const KnownCall& Call, llvm::StringRef Parameter) {
  return argumentGiven(*Call.Function, Call.Arguments, Parameter);
}

bool isTensorGiven(const KnownCall& Call, const Row& Each) {
  if (Each.Tensor.empty()) {
    return true;
  }
  const auto Parameter =
      llvm::find_if(Call.Function->parameters(), [&](const clang::ParmVarDecl* P) { return P->getName() == Each.Tensor; });
  const clang::Expr* Argument = given(Call, Each.Tensor);
  return Parameter != Call.Function->param_end() && Argument && takesTensor((*Parameter)->getType()) &&
         (Each.IsCertain || readsData(*Argument));
}

bool isSpared(const KnownCall& Call, const Row& Each) {
  const clang::Expr* Argument = Each.Unless.empty() ? nullptr : given(Call, Each.Unless);
  return Argument && (!Argument->getType()->isBooleanType() || isTrue(Argument));
}

bool wantsGradients(AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [](const scan::ScannedCallable* Each) {
    return llvm::any_of(Each->Callable.Spec.Arguments,
                        [](const annotation::Field& Argument) { return anyHasFlag(Argument.Value, annotation::Flag::Grad); });
  });
}

}  // namespace

HostRead ownHostRead(const clang::Stmt& S, AnnotationsOfOne Annotations) {
  if (const ModuleRun Run = moduleRun(S); Run && moduleName(Run) == "CTCLoss") {
    return {"CTCLoss", Run.Where, true};
  }
  const KnownCall Call = knownCall(S);
  if (!Call || isOfC(*Call.Function)) {
    return {};
  }
  const llvm::StringRef Name = withoutOut(Call.Name);
  const auto Found =
      llvm::find_if(Rows, [&](const Row& Each) { return Each.Name == Name && isTensorGiven(Call, Each) && !isSpared(Call, Each); });
  if (Found != std::end(Rows)) {
    return {Call.Name, Call.Where, Found->IsCertain};
  }
  if (const Coalescing Its = coalescing(S)) {
    return {Call.Name, Call.Where, Its.IsCertain};
  }
  const bool Differentiated = llvm::is_contained(ReadingBackwards, Call.Name) && wantsGradients(Annotations);
  return Differentiated ? HostRead{Call.Name, Call.Where, false, /*IsBackward=*/true} : HostRead();
}

}  // namespace graphgen::check
