// SPDX-License-Identifier: Apache-2.0
//
// A stream is made current, and nowhere in the callable does a stream wait for an event.
#include "check/StreamCheck.h"

#include "check/code/BodyWalk.h"
#include "check/code/Callee.h"
#include "check/code/KnownCalls.h"
#include "check/code/Library.h"
#include "check/code/TensorCalls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

/// The stream that S makes current; null where it makes none, or one that is current already.
const clang::Expr* streamMadeCurrent(const KnownCall& Call) {
  const bool IsSetter = llvm::StringSwitch<bool>(Call.Name)
                            .Cases({"CUDAStreamGuard", "OptionalCUDAStreamGuard", "StreamGuard", "OptionalStreamGuard"}, true)
                            .Cases({"setCurrentCUDAStream", "reset_stream"}, true)
                            .Default(false);
  if (!IsSetter || Call.Arguments.empty()) {
    return nullptr;
  }
  const KnownCall Made = knownCall(originOf(*Call.Arguments[0]));
  return Made && Made.Name == "getCurrentCUDAStream" ? nullptr : Call.Arguments[0];
}

bool waits(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name).Cases({"block", "wait", "cudaStreamWaitEvent", "cuStreamWaitEvent"}, true).Default(false);
}

enum class Wait { Never, Perhaps, Somewhere };

/// In the body, and in those that it calls.
class WaitSearch {
 public:
  Wait search(const clang::FunctionDecl& Function) {
    const clang::FunctionDecl* Definition = nullptr;
    if (!Function.isDefined(Definition) || !Definition->getBody()) {
      return isOfLibrary(Function) || Function.isExternC() ? Wait::Never : Wait::Perhaps;
    }
    if (isOfLibrary(*Definition) || !Seen.insert(Definition).second) {
      return Wait::Never;
    }
    Wait Found = Wait::Never;
    walkBody(*Definition, [&](const clang::Stmt& S, bool) {
      if (const clang::FunctionDecl* Called = calleeOf(S).Function) {
        const bool IsWait = Called->getIdentifier() && waits(Called->getName());
        Found = std::max(Found, IsWait ? Wait::Somewhere : search(*Called));
      }
    });
    return Found;
  }

 private:
  llvm::SmallPtrSet<const clang::FunctionDecl*, 16> Seen;
};

const clang::FunctionDecl& annotated(const Frame& In) {
  const Frame* Outermost = &In;
  while (Outermost->Caller) {
    Outermost = Outermost->Caller;
  }
  return *Outermost->Function;
}

}  // namespace

void StreamCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (!Call || !streamMadeCurrent(Call)) {
    return;
  }
  const char* Message = "work on another stream, which nothing in the callable waits for, is no part of the graph";
  const Wait Found = WaitSearch().search(annotated(At.In));
  if (Found == Wait::Never) {
    report(At, Call.Where, S.getSourceRange(), Message);
  } else if (Found == Wait::Perhaps) {
    suspect(At, Call.Where, S.getSourceRange(), Message);
  }
}

}  // namespace graphgen::check
