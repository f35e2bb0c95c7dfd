// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's containers of modules. Which of them an element is nobody knows: all lead to one place, and each of the program's may run.
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "clang/AST/ASTContext.h"

namespace graphgen::check::flow {
namespace {

bool givesModules(llvm::StringRef Name) {
  return llvm::is_contained({"children", "named_children", "modules", "named_modules", "items", "begin", "end", "at", "ptr", "as"}, Name);
}

const clang::CXXMethodDecl* forwardIn(const clang::CXXRecordDecl& Class) {
  const auto Found = llvm::find_if(Class.methods(),
                                   [](const clang::CXXMethodDecl* Each) { return Each->getIdentifier() && Each->getName() == "forward"; });
  return Found == Class.method_end() ? nullptr : *Found;
}

}  // namespace

std::optional<ValueRef> BodyRun::moduleCall(const Called& Its, const clang::CXXMethodDecl& Method) {
  const Path Object = Its.Object->Targets.empty() ? nullptr : Its.Object->Targets.front().Of;
  if (!Object || !Object->outlivesCall()) {
    return std::nullopt;
  }
  const llvm::StringRef Class = Method.getParent()->getName(), Name = Method.getIdentifier() ? Method.getName() : llvm::StringRef();
  const bool IsAmong = All.typeOf(Object).isNull();
  if (Name == "forward" && llvm::is_contained({"SequentialImpl", "AnyModule"}, Class)) {
    std::vector<Body> Bodies;
    const clang::ValueDecl* Store = storeOfPath(Object);
    for (const clang::CXXRecordDecl* Each : Store ? All.storedIn(*Store).Modules : decltype(Stored::Modules)()) {
      if (const clang::CXXMethodDecl* Forward = forwardIn(*Each)) {
        Bodies.push_back({Forward, IsAmong ? Its.Object : anyElementOf(Its.Object), false});
      }
    }
    followOne({Its.At, nullptr, nullptr, {}, Its.Arguments}, Bodies, false);
    return std::nullopt;
  }
  if (IsAmong) {
    return Its.Object;
  }
  const bool IsContainer = llvm::is_contained({"Module", "SequentialImpl", "ModuleListImpl", "ModuleDictImpl"}, Class);
  return IsContainer && givesModules(Name) ? std::optional(All.Known.perhaps(anyElementOf(Its.Object))) : std::nullopt;
}

}  // namespace graphgen::check::flow
