// SPDX-License-Identifier: Apache-2.0
//
// By the table, whose rows name LibTorch's source.
#include "check/torch/Corrections.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr auto Shows = Correction::How::Shows;
constexpr auto MayShow = Correction::How::MayShow;
constexpr auto MayWrite = Correction::How::MayWrite;

constexpr Correction CorrectionTable[] = {
#include "check/torch/Corrections.inc"
};

/// No schema uses the letter.
constexpr char SetOfCorrections = 'z';

void correct(Operator& One, Operator::Parameter& Its, Correction::How What) {
  Its.Memory.Set = Its.Memory.Set == 0 ? SetOfCorrections : Its.Memory.Set;
  Its.Memory.IsPerhaps = What != Shows;
  if (What == MayWrite) {
    Its.Memory.IsWritten = true;
    return;
  }
  for (Operator::Result& Each : One.Results) {
    if (Each.Memory.Set == 0 && (Each.Type == Operator::Kind::Tensor || Each.Type == Operator::Kind::TensorList)) {
      Each.Memory.Set = Its.Memory.Set;
    }
    Each.Memory.IsPerhaps = Each.Memory.Set == Its.Memory.Set && Its.Memory.IsPerhaps;
  }
}

}  // namespace

llvm::ArrayRef<Correction> corrections() { return CorrectionTable; }

void correct(Operator& One) {
  const std::string Full = (One.Name + "." + One.Overload).str();
  for (const Correction& Each : CorrectionTable) {
    const auto Its = llvm::find_if(One.Parameters, [&](const Operator::Parameter& P) { return P.Name == Each.Parameter; });
    if ((Each.Operator == One.Name || Each.Operator == Full) && Its != One.Parameters.end() && !One.isOut()) {
      correct(One, *Its, Each.What);
    }
  }
}

}  // namespace graphgen::check
