// SPDX-License-Identifier: Apache-2.0
//
// A mode that lasts beyond the callable. One that is set to two values, or to an unknown one after another, is taken to be set back.
#include "check/code/Paths.h"
#include "check/rules/Rule.h"

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using Mode = std::pair<llvm::StringRef, flow::Path>;  // of a module its place

llvm::StringRef nameOfSetter(const Occurrence& At) {
  return At.Its.Function->getIdentifier() ? At.Its.Function->getName() : llvm::StringRef();
}

bool isOfModule(const Occurrence& At) { return llvm::is_contained({"train", "eval"}, nameOfSetter(At)); }

Mode modeOf(const Occurrence& At) {
  const bool HasPlace = isOfModule(At) && At.Its.Object && !At.Its.Object->Targets.empty();
  return {isOfModule(At) ? llvm::StringRef("train") : nameOfSetter(At), HasPlace ? At.Its.Object->Targets.front().Of : nullptr};
}

std::optional<int64_t> setTo(const Occurrence& At) {
  const flow::ValueRef Given = At.Its.Arguments.empty() ? nullptr : At.Its.Arguments.back();
  return nameOfSetter(At) == "eval" ? 0 : Given ? Given->Number : std::nullopt;
}

bool isSetBack(llvm::ArrayRef<const Occurrence*> Setters) {
  return llvm::any_of(Setters, [&](const Occurrence* Each) {
    return Each->Its.At != Setters[0]->Its.At && (!setTo(*Each) || setTo(*Each) != setTo(*Setters[0]));
  });
}

/// train() in each call, and nowhere else in the unit train() or eval(): the warm-ups have set it, and it stays.
bool isKept(const Occurrence& At) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(At.Its.Function->getDeclContext());
  return isOfModule(At) && At.isCertain() && setTo(At) == (nameOfSetter(At) == "train") &&
         llvm::all_of(Class->methods(), [&](const clang::CXXMethodDecl* Each) {
           const llvm::StringRef Name = Each->getIdentifier() ? Each->getName() : "";
           return !llvm::is_contained({"train", "eval"}, Name) || llvm::all_of(At.Unit.callsOf(*Each), [&](const CallSite& Site) {
             return Name == nameOfSetter(At) && Site.Caller == &patternOf(*At.In.Of.Function);
           });
         });
}

/// Guards set back what they set, be it in another file.
bool isOfGuard(const Occurrence& At) { return llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(At.In.Of.Function); }

void judgeModes(llvm::ArrayRef<Occurrence> All) {
  llvm::MapVector<Mode, std::vector<const Occurrence*>> Setters;
  for (const Occurrence& Each : All) {
    if (Each.Its.What == flow::Fact::Kind::Call && hasTrait(Each, Trait::SetsMode)) {
      Setters[modeOf(Each)].push_back(&Each);
    }
  }
  for (const auto& [Its, Places] : Setters) {
    for (const Occurrence* Each : isSetBack(Places) ? std::vector<const Occurrence*>() : Places) {
      if (!isKept(*Each) && !isOfGuard(*Each)) {
        Each->suspect("graphed-mode", Each->where(),
                      "'" + nameOfSetter(*Each) + "' leaves a mode behind, which a replay does not set; set it outside of the callable" +
                          (isOfModule(*Each) ? "" : ", or by a guard"));
      }
    }
  }
}

}  // namespace

const Rule rules::Mode{.OnEnd = judgeModes};

}  // namespace graphgen::check
