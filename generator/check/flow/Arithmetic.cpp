// SPDX-License-Identifier: Apache-2.0
//
// Operators of C++ on numbers and pointers.
#include "check/flow/BodyRun.h"

namespace graphgen::check::flow {
namespace {

std::optional<int64_t> fold(clang::BinaryOperatorKind Kind, int64_t A, int64_t B) {
  using Wide = __int128;
  const auto Fits = [](Wide V) -> std::optional<int64_t> {
    return V == static_cast<int64_t>(V) ? std::optional(static_cast<int64_t>(V)) : std::nullopt;
  };
  switch (Kind) {
    case clang::BO_Add:
      return Fits(Wide(A) + B);
    case clang::BO_Sub:
      return Fits(Wide(A) - B);
    case clang::BO_Mul:
      return Fits(Wide(A) * B);
    case clang::BO_Div:
      return B == 0 ? std::nullopt : Fits(Wide(A) / B);
    case clang::BO_Rem:
      return B == 0 ? std::nullopt : Fits(Wide(A) % B);
    case clang::BO_LT:
      return A < B;
    case clang::BO_LE:
      return A <= B;
    case clang::BO_GT:
      return A > B;
    case clang::BO_GE:
      return A >= B;
    case clang::BO_EQ:
      return A == B;
    case clang::BO_NE:
      return A != B;
    case clang::BO_And:
      return A & B;
    case clang::BO_Or:
      return A | B;
    default:
      return std::nullopt;
  }
}

Asks opposite(Asks For) {
  switch (For) {
    case Asks::IsThere:
      return Asks::IsMissing;
    case Asks::IsMissing:
      return Asks::IsThere;
    case Asks::WasMissing:
      return Asks::WasThere;
    case Asks::WasThere:
      return Asks::WasMissing;
    case Asks::Nothing:
      break;
  }
  return For;
}

clang::BinaryOperatorKind withoutAssignment(const clang::BinaryOperator& E) {
  return E.isCompoundAssignmentOp() ? clang::BinaryOperator::getOpForCompoundAssignment(E.getOpcode()) : E.getOpcode();
}

}  // namespace

ValueRef BodyRun::computed(llvm::ArrayRef<ValueRef> From, std::optional<int64_t> Number) {
  Value Made;
  Made.How = Change::Never;
  Made.Number = Number;
  for (const ValueRef Each : From) {
    if (Each) {
      Made.How = std::max(Made.How, Each->How);
      Made.Data = Made.Data ? Made.Data : Each->Data;
      Made.IsComputed = Made.Data != nullptr;
      Made.OfRank = Made.OfRank ? Made.OfRank : Each->OfRank;
      Made.MayBeOther |= Each->MayBeOther;
      for (const Path One : Each->Sources) {
        if (!llvm::is_contained(Made.Sources, One)) {
          Made.Sources.push_back(One);
        }
      }
    }
  }
  return All.Known.keep(std::move(Made));
}

ValueRef BodyRun::converted(ValueRef Number) {
  Value Made = *computed({Number});
  Made.IsComputed = Number && Number->IsComputed;
  return All.Known.keep(std::move(Made));
}

ValueRef BodyRun::unary(const clang::UnaryOperator& E) {
  const ValueRef Given = value(E.getSubExpr());
  switch (E.getOpcode()) {
    case clang::UO_Deref:
      lookThrough(E, Given);
      return Given;
    case clang::UO_AddrOf:
    case clang::UO_Extension:
    case clang::UO_Plus:
      return Given;
    case clang::UO_PreInc:
    case clang::UO_PreDec:
    case clang::UO_PostInc:
    case clang::UO_PostDec: {
      const ValueRef Old = load(Given);
      const ValueRef New = E.getType()->isPointerType() ? Old
                           : Old && Old->Number         ? computed({Old}, *Old->Number + (E.isIncrementOp() ? 1 : -1))
                                                        : computed({Old});
      assign(E, Given, New);
      return E.isPostfix() ? Old : Given;
    }
    case clang::UO_LNot: {
      Value Made = *computed({Given});
      Made.Number = Given && Given->Number ? std::optional<int64_t>(*Given->Number == 0) : std::nullopt;
      Made.For = Given ? opposite(Given->For) : Asks::Nothing;
      return All.Known.keep(std::move(Made));
    }
    case clang::UO_Minus:
      return Given && Given->Number && E.getType()->isIntegralOrEnumerationType()
                 ? computed({Given}, fold(clang::BO_Sub, 0, *Given->Number))
                 : computed({Given});
    default:
      return computed({Given});
  }
}

ValueRef BodyRun::binary(const clang::BinaryOperator& E) {
  const ValueRef Left = value(E.getLHS()), Right = value(E.getRHS());
  if (E.getOpcode() == clang::BO_Comma || E.isPtrMemOp()) {
    return Right;
  }
  if (E.getOpcode() == clang::BO_Assign) {
    assign(E, Left, Right);
    return Left;
  }
  if (E.isLogicalOp()) {
    const bool Decisive = E.getOpcode() == clang::BO_LOr;
    for (const ValueRef Each : {Left, Right}) {
      if (Each && Each->Number && (*Each->Number != 0) == Decisive) {
        return computed({Each}, Decisive);
      }
    }
    const bool IsKnown = Left && Right && Left->Number && Right->Number;
    return IsKnown ? computed({Left, Right}, !Decisive) : computed({Left, Right});
  }
  const ValueRef First = E.isCompoundAssignmentOp() ? load(Left) : Left;
  const bool IsKnown = First && Right && First->Number && Right->Number && E.getLHS()->getType()->isIntegralOrEnumerationType() &&
                       E.getRHS()->getType()->isIntegralOrEnumerationType();
  const ValueRef New = E.getType()->isPointerType()
                           ? (E.getLHS()->getType()->isPointerType() ? First : Right)
                           : computed({First, Right}, IsKnown ? fold(withoutAssignment(E), *First->Number, *Right->Number) : std::nullopt);
  if (E.isCompoundAssignmentOp()) {
    assign(E, Left, New);
    return Left;
  }
  return New;
}

}  // namespace graphgen::check::flow
