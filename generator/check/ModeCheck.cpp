// SPDX-License-Identifier: Apache-2.0
//
// By the setters' names. Guards set back what they set; so may a function that calls a setter twice.
#include "check/ModeCheck.h"

#include "check/code/KnownCalls.h"
#include "check/code/Owners.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool setsMode(const KnownCall& Call) {
  if (Call.Class == "GradMode" || Call.Class == "InferenceMode") {
    return Call.Name == "set_enabled";
  }
  if (Call.Class == "Context") {
    return Call.Name.starts_with("set");
  }
  return Call.isOfNamespace() && llvm::StringSwitch<bool>(Call.Name)
                                     .Cases({"set_autocast_enabled", "set_autocast_dtype", "set_autocast_cache_enabled"}, true)
                                     .Cases({"set_default_dtype", "set_num_threads"}, true)
                                     .Default(false);
}

/// train(), eval(): of a module that is there after the call as well.
bool setsModule(const KnownCall& Call, const clang::Stmt& S, const Frame& In) {
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  if (!Method || Call.Class != "Module" || (Call.Name != "train" && Call.Name != "eval")) {
    return false;
  }
  const clang::Expr& Object = *Method->getImplicitObjectArgument();
  return ownerOf(Object, Object.getType()->isPointerType() ? Aspect::Pointee : Aspect::Variable, In).outlivesCall();
}

/// Of the mode that the name sets.
unsigned countCalls(const clang::Stmt* S, llvm::StringRef Name) {
  unsigned Count = 0;
  if (S) {
    const llvm::StringRef Called = knownCall(*S).Name;
    Count = (Called == "eval" ? "train" : Called) == (Name == "eval" ? "train" : Name) ? 1 : 0;
    for (const clang::Stmt* Each : S->children()) {
      Count += countCalls(Each, Name);
    }
  }
  return Count;
}

/// train() in each call, and nowhere else in the unit train() or eval(): the warm-ups have set it, and it stays.
bool keepsMode(const KnownCall& Call, const Place& At) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Call.Function->getDeclContext());
  const bool IsPlain = Call.Arguments.empty() || llvm::isa<clang::CXXDefaultArgExpr>(Call.Arguments[0]);
  return At.IsCertain && IsPlain && Call.Class == "Module" && llvm::all_of(Class->methods(), [&](const clang::CXXMethodDecl* Each) {
           const llvm::StringRef Name = Each->getIdentifier() ? Each->getName() : "";
           return (Name != "train" && Name != "eval") || llvm::all_of(At.Index.callsOf(patternOf(*Each)), [&](const CallSite& Site) {
                    return Name == Call.Name && Site.Caller == &patternOf(*At.In.Function);
                  });
         });
}

}  // namespace

void ModeCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (!Call || !(setsMode(Call) || setsModule(Call, S, At.In)) ||
      llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(At.In.Function)) {
    return;
  }
  if (countCalls(At.In.Function->getBody(), Call.Name) == 1 && !keepsMode(Call, At)) {
    suspect(At, Call.Where, S.getSourceRange(), "'" + Call.Name + "' leaves a mode behind, which a replay does not set");
  }
}

}  // namespace graphgen::check
