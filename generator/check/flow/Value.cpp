// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Value.h"

#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {
namespace {

constexpr size_t MostTargets = 12;  // beyond them unknown

template <class T>
void keepIfSame(T& Mine, const T& Other) {
  if (!(Mine == Other)) {
    Mine = T();
  }
}

/// What is in one of the two alone is there perhaps.
void joinTargets(Value& Into, const Value& Other, bool AreBoth) {
  llvm::SmallVector<Target, 1> Both;
  for (Target Each : Into.Targets) {
    const auto* Same = llvm::find_if(Other.Targets, [&](const Target& One) { return One.Of == Each.Of; });
    if (Same == Other.Targets.end()) {
      Each.IsExact &= AreBoth;
    } else {
      Each.IsExact = AreBoth ? Each.IsExact || Same->IsExact : Each.IsExact && Same->IsExact;
      Each.Through = Each.Through ? Each.Through : Same->Through;
      Each.IsView |= Same->IsView;
      Each.IsPart |= Same->IsPart;
    }
    Both.push_back(Each);
  }
  for (Target Each : Other.Targets) {
    if (llvm::none_of(Into.Targets, [&](const Target& One) { return One.Of == Each.Of; })) {
      Each.IsExact &= AreBoth;
      Both.push_back(Each);
    }
  }
  llvm::sort(Both);
  Into.MayBeOther |= Other.MayBeOther;
  if (Both.size() > MostTargets) {
    Both.clear();
    Into.MayBeOther = true;
  }
  Into.Targets = std::move(Both);
}

template <class T>
void unite(llvm::SmallVector<T, 1>& Into, const llvm::SmallVector<T, 1>& Other) {
  for (const T& Each : Other) {
    if (!llvm::is_contained(Into, Each)) {
      Into.push_back(Each);
    }
  }
}

}  // namespace

bool Value::operator<(const Value& Other) const {
  const auto Key = [](const Value& V) {
    return std::tie(V.MayBeOther, V.Unset, V.Type, V.Dimensions, V.On, V.Sparse, V.IsTransposed, V.Number, V.How, V.For, V.Data,
                    V.IsComputed, V.OfRank, V.Made, V.MayDerive);
  };
  if (Key(*this) != Key(Other)) {
    return Key(*this) < Key(Other);
  }
  const auto Compare = [](const auto& A, const auto& B) { return std::lexicographical_compare(A.begin(), A.end(), B.begin(), B.end()); };
  if (Targets != Other.Targets) {
    return Compare(Targets, Other.Targets);
  }
  if (Classes != Other.Classes) {
    return Compare(Classes, Other.Classes);
  }
  if (Callables != Other.Callables) {
    return Compare(Callables, Other.Callables);
  }
  if (Sources != Other.Sources) {
    return Compare(Sources, Other.Sources);
  }
  if (Cuts != Other.Cuts) {
    return Compare(Cuts, Other.Cuts);
  }
  return Compare(Differentiable, Other.Differentiable);
}

void Value::add(const Target& New) {
  if (llvm::none_of(Targets, [&](const Target& Each) { return Each.Of == New.Of; })) {
    Targets.push_back(New);
    llvm::sort(Targets);
  }
}

Value Value::unknown() {
  Value Made;
  Made.MayBeOther = true;
  return Made;
}

Value Value::to(Path To) {
  Value Made;
  Made.Targets.push_back({To});
  return Made;
}

Value Value::number(int64_t Known, Change How) {
  Value Made;
  Made.Number = Known;
  Made.How = How;
  return Made;
}

void Value::print(llvm::raw_ostream& Out) const {
  Out << '{';
  const char* Between = "";
  const auto Say = [&]() -> llvm::raw_ostream& {
    Out << Between;
    Between = ", ";
    return Out;
  };
  for (const Target& Each : Targets) {
    Each.Of->print(Say());
    Out << (Each.IsExact ? "" : "?");
  }
  if (MayBeOther) {
    Say() << "...";
  }
  if (Unset) {
    Unset->print(Say() << "as ");
  }
  if (Type) {
    Say() << annotation::spelling(*Type);
  }
  if (Dimensions) {
    Say() << *Dimensions << "-d";
  }
  if (On != Device::Unknown) {
    Say() << (On == Device::Unsaid ? "no device" : On == Device::Host ? "host" : On == Device::Gpu ? "gpu" : "device");
  }
  if (Number) {
    Say() << *Number;
  }
  if (How != Change::EachCall) {
    Say() << (How == Change::Never ? "constant" : How == Change::PerKey ? "per key" : "settled");
  }
  if (Data) {
    Say() << "of a tensor's values";
  }
  if (OfRank) {
    Say() << "of this rank";
  }
  for (const clang::CXXRecordDecl* Each : Classes) {
    Say() << Each->getName() << (MayDerive ? " or what derives from it" : "");
  }
  for (const Path Each : Sources) {
    Each->print(Say() << "from ");
  }
  for (const Path Each : Differentiable) {
    Each->print(Say() << "grad ");
  }
  if (!Callables.empty()) {
    Say() << Callables.size() << (Callables.size() == 1 ? " callable" : " callables");
  }
  Out << '}';
}

ValueRef Values::perhaps(ValueRef One) {
  Value Made = *One;
  for (Target& Each : Made.Targets) {
    Each.IsExact = false;
  }
  return keep(std::move(Made));
}

ValueRef Values::orOther(ValueRef One) {
  Value Made = *One;
  Made.MayBeOther = true;
  return keep(std::move(Made));
}

ValueRef Values::join(ValueRef A, ValueRef B, bool AreBoth) {
  if (!A || !B || A == B) {
    return A ? A : B;
  }
  Value Both = *A;
  joinTargets(Both, *B, AreBoth);
  Both.MayBeOther |= Both.Unset != B->Unset;
  keepIfSame(Both.Unset, B->Unset);
  keepIfSame(Both.Type, B->Type);
  keepIfSame(Both.Dimensions, B->Dimensions);
  keepIfSame(Both.Number, B->Number);
  keepIfSame(Both.For, B->For);
  Both.IsComputed |= B->IsComputed;
  keepIfSame(Both.On, B->On);
  keepIfSame(Both.Sparse, B->Sparse);
  Both.IsTransposed &= B->IsTransposed;
  if (Both.On != Device::Host || !Both.Made || !B->Made) {
    keepIfSame(Both.Made, B->Made);
  }
  Both.MayDerive |= B->MayDerive;
  if (Both.Classes.empty() || B->Classes.empty()) {
    Both.Classes.clear();
  }
  unite(Both.Classes, Both.Classes.empty() ? Both.Classes : B->Classes);
  unite(Both.Callables, B->Callables);
  unite(Both.Sources, B->Sources);
  unite(Both.Differentiable, B->Differentiable);
  unite(Both.Cuts, B->Cuts);
  Both.How = std::max(Both.How, B->How);
  Both.Data = Both.Data ? Both.Data : B->Data;
  Both.OfRank = Both.OfRank ? Both.OfRank : B->OfRank;
  return keep(std::move(Both));
}

}  // namespace graphgen::check::flow
