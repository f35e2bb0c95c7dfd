// SPDX-License-Identifier: Apache-2.0
//
// A write counts that repeats itself, makes the new value of the old one, or stands in a method that whoever has the object may call again.
#include "check/state/Changes.h"

#include "check/code/Library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostCallerDepth = 8;  // callers of callers

/// What torch::nn::Cloneable's constructors and clone() call.
bool isModulesReset(const clang::FunctionDecl& F) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && Method->getIdentifier() && (Method->getName() == "reset" || Method->getName() == "reset_parameters") &&
         llvm::any_of(Method->overridden_methods(), [](const clang::CXXMethodDecl* Each) { return isOfLibrary(*Each); });
}

bool isConstruction(const clang::FunctionDecl& F, const UnitIndex& Index, unsigned Depth = 0) {
  if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(F) || isModulesReset(F)) {
    return true;
  }
  const llvm::ArrayRef<CallSite> Calls = Index.callsOf(F);
  return Depth < MostCallerDepth && !Calls.empty() &&
         llvm::all_of(Calls, [&](const CallSite& Each) { return Each.Caller && isConstruction(*Each.Caller, Index, Depth + 1); });
}

/// Of a method that nobody calls in this unit, somebody else may.
bool isCalledAgain(const clang::FunctionDecl& F, const UnitIndex& Index, unsigned Depth = 0) {
  const llvm::ArrayRef<CallSite> Calls = Index.callsOf(F);
  if (Calls.empty()) {
    return Depth == 0 || llvm::isa<clang::CXXMethodDecl>(F);
  }
  return Depth < MostCallerDepth && llvm::any_of(
                                        Calls,
                                        [&](const CallSite& Each) {
                                          return Each.IsRepeated || (Each.Caller && !isConstruction(*Each.Caller, Index) &&
                                                                     isCalledAgain(*Each.Caller, Index, Depth + 1));
                                        });
}

/// From the annotated callable, or one of the bodies that led to `From`: a template's pattern does not say what its instances call.
bool reaches(const Frame& From, const clang::FunctionDecl& To, const UnitIndex& Index) {
  llvm::SmallPtrSet<const clang::FunctionDecl*, 16> Seen;
  std::vector<const clang::FunctionDecl*> Left;
  for (const Frame* Each = &From; Each; Each = Each->Caller) {
    Left.push_back(&patternOf(*Each->Function));
  }
  while (!Left.empty()) {
    const clang::FunctionDecl* F = Left.back();
    Left.pop_back();
    if (F == &To) {
      return true;
    }
    if (Seen.insert(F).second) {
      llvm::append_range(Left, Index.callsIn(*F));
    }
  }
  return false;
}

bool isChange(const StateWrite& W, const Frame& In, const UnitIndex& Index) {
  if (!W.Writer || isConstruction(*W.Writer, Index) || reaches(In, *W.Writer, Index)) {
    return false;
  }
  const bool IsOthersToCall = (W.To.IsOnThis || !W.To.Owner) && !W.Writer->isMain();
  return W.IsUpdate || W.IsRepeated || (IsOthersToCall && isCalledAgain(*W.Writer, Index));
}

}  // namespace

const StateWrite* changeBetweenCalls(const clang::Expr& Read, const Frame& In, const UnitIndex& Index) {
  const Path Place = pathOf(Read);
  if (!Place.Named) {
    return nullptr;
  }
  const llvm::ArrayRef<StateWrite> Writes = Index.writesTo(*Place.Named);
  const auto Change = llvm::find_if(Writes, [&](const StateWrite& Each) { return mayBeOne(Place, Each.To) && isChange(Each, In, Index); });
  return Change == Writes.end() ? nullptr : &*Change;
}

}  // namespace graphgen::check
