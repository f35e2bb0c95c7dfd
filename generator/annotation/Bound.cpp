// SPDX-License-Identifier: Apache-2.0
//
// What readers ask of a tree of parameters.
#include "annotation/Bound.h"

#include "annotation/FlagRules.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::annotation {

bool isFlat(const Bound& B) {
  switch (B.Kind) {
    case TypeKind::Tensor:
    case TypeKind::TensorLvalue:
      return true;
    case TypeKind::Optional:
    case TypeKind::Vector:
    case TypeKind::ArrayRef:
      return B.Parts.front().Kind == TypeKind::Tensor;
    default:
      return false;
  }
}

bool isSaid(const Bound& B, UnseenKind Kind) { return B.Said && B.Said->What == Spec::Kind::Unseen && B.Said->Unseen == Kind; }

std::optional<int64_t> countOf(const Bound& List, const Constants& Variables) {
  if (List.IsByPosition) {
    return static_cast<int64_t>(List.Parts.size());
  }
  if (!List.Said || !List.Said->Repeat) {
    return std::nullopt;
  }
  const Evaluated<int64_t> Count = evaluateCount(*List.Said->Repeat, Variables);
  const int64_t* Known = std::get_if<int64_t>(&Count);
  return Known ? std::optional(*Known) : std::nullopt;
}

std::vector<int64_t> shapeAt(const Spec& Tensor, const Constants& Values) {
  return std::get<std::vector<int64_t>>(evaluateShape(Tensor, Values));
}

void forEachTensor(const Bound& B, llvm::function_ref<void(const Spec&)> F) {
  if (B.Parts.empty() && B.Said && B.Said->What == Spec::Kind::Tensor) {
    F(*B.Said);
  }
  llvm::for_each(B.Parts, [&](const Bound& Each) { forEachTensor(Each, F); });
}

bool anyHasFlag(const Bound& B, Flag Value) {
  bool Found = false;
  forEachTensor(B, [&](const Spec& Tensor) { Found |= findFlag(Tensor, Value) != nullptr; });
  return Found;
}

}  // namespace graphgen::annotation
