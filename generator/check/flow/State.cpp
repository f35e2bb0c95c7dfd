// SPDX-License-Identifier: Apache-2.0
#include "check/flow/State.h"

namespace graphgen::check::flow {

ValueRef State::at(Path Place) const {
  const OfRoot* Parts = Map_.lookup(Place->root());
  const ValueRef* Found = Parts ? Parts->lookup(Place) : nullptr;
  return Found ? *Found : nullptr;
}

void State::set(Path Place, ValueRef New) {
  const OfRoot* Parts = Map_.lookup(Place->root());
  Map_ = Of->Roots.add(Map_, Place->root(), Of->Parts.add(Parts ? *Parts : Of->Parts.getEmptyMap(), Place, New));
}

void State::clear(Path Place) {
  const OfRoot* Parts = Map_.lookup(Place->root());
  if (!Parts) {
    return;
  }
  OfRoot Left = *Parts;
  for (const auto& [Each, Known] : within(Place)) {
    Left = Of->Parts.remove(Left, Each);
  }
  Map_ = Of->Roots.add(Map_, Place->root(), Left);
}

std::vector<std::pair<Path, ValueRef>> State::within(Path Place) const {
  std::vector<std::pair<Path, ValueRef>> Found;
  if (const OfRoot* Parts = Map_.lookup(Place->root())) {
    for (const auto& Each : *Parts) {
      if (Each.first->isWithin(*Place)) {
        Found.push_back(Each);
      }
    }
  }
  return Found;
}

// What one of the two lacks is there as it was when the callable began.
void State::join(const State& Other, Values& All, llvm::function_ref<ValueRef(const State&, Path)> Unset) {
  if (*this == Other) {
    return;
  }
  const State Old = *this;
  const OfRoot Empty = Of->Parts.getEmptyMap();
  const auto JoinRoot = [&](Path Top, const OfRoot& Mine, const OfRoot& Theirs) {
    if (Mine == Theirs) {
      return;
    }
    OfRoot Both = Mine;
    for (const auto& [Place, Known] : Theirs) {
      const ValueRef* Set = Mine.lookup(Place);
      Both = Of->Parts.add(Both, Place, All.join(Set ? *Set : Unset(Old, Place), Known));
    }
    for (const auto& [Place, Known] : Mine) {
      if (!Theirs.lookup(Place)) {
        Both = Of->Parts.add(Both, Place, All.join(Known, Unset(Other, Place)));
      }
    }
    Map_ = Of->Roots.add(Map_, Top, Both);
  };
  for (const auto& [Top, Theirs] : Other.Map_) {
    const OfRoot* Mine = Old.Map_.lookup(Top);
    JoinRoot(Top, Mine ? *Mine : Empty, Theirs);
  }
  for (const auto& [Top, Mine] : Old.Map_) {
    if (!Other.Map_.lookup(Top)) {
      JoinRoot(Top, Mine, Empty);
    }
  }
}

void State::reach(const Value& V, llvm::SetVector<Path>& Reached) const {
  for (const Target& Each : V.Targets) {
    reach(Each.Of, Reached);
  }
  for (const Callable& Each : V.Callables) {
    if (Each.Object) {
      reach(Each.Object, Reached);
    }
  }
  if (V.Unset) {
    reach(V.Unset, Reached);
  }
}

void State::reach(Path To, llvm::SetVector<Path>& Reached) const { Reached.insert(To->root()); }

State State::reachable(llvm::ArrayRef<ValueRef> From, const State& Begun, bool KeepsBegun) const {
  llvm::SetVector<Path> Reached;
  for (const auto& [Top, Parts] : Map_) {
    if (Top->isOutside() || (KeepsBegun && Begun.Map_.lookup(Top))) {
      Reached.insert(Top);
    }
  }
  for (const ValueRef Each : From) {
    if (Each) {
      reach(*Each, Reached);
    }
  }
  State Kept(*Of, Of->Roots.getEmptyMap());
  for (size_t I = 0; I != Reached.size(); ++I) {
    if (const OfRoot* Parts = Map_.lookup(Reached[I])) {
      Kept.Map_ = Of->Roots.add(Kept.Map_, Reached[I], *Parts);
      for (const auto& [Place, Known] : *Parts) {
        reach(*Known, Reached);
      }
    }
  }
  return Kept;
}

void State::overwrite(const State& Other) {
  for (const auto& [Top, Parts] : Other.Map_) {
    Map_ = Of->Roots.add(Map_, Top, Parts);
  }
}

void State::print(llvm::raw_ostream& Out) const {
  for (const auto& [Top, Parts] : Map_) {
    for (const auto& [Place, Known] : Parts) {
      Place->print(Out);
      Out << " = ";
      Known->print(Out);
      Out << '\n';
    }
  }
}

}  // namespace graphgen::check::flow
