// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and streams that are opened or read.
#include "check/HostInputCheck.h"

#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

bool isInputStream(clang::QualType Type) {
  const llvm::StringRef Class = libraryClass(Type);
  return Class == "basic_istream" || Class == "basic_ifstream" || Class == "basic_fstream";
}

bool opensFile(const clang::CXXConstructExpr& Construction) {
  const llvm::StringRef Class = libraryClass(Construction.getType());
  return Construction.getNumArgs() != 0 && !Construction.getConstructor()->isCopyOrMoveConstructor() &&
         (Class == "basic_ifstream" || Class == "basic_fstream");
}

}  // namespace

void HostInputCheck::check(const clang::Stmt& S, const Place& At) const {
  const auto Tell = [&](clang::SourceLocation Where, llvm::StringRef What) {
    suspect(At, Where, S.getSourceRange(), What + " is read when the graph is captured, not by replays");
  };
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S); Construction && opensFile(*Construction)) {
    return Tell(Construction->getBeginLoc(), "a file");
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  if (Operator && Operator->getOperator() == clang::OO_GreaterGreater && isInputStream(Operator->getArg(0)->getType())) {
    return Tell(Operator->getOperatorLoc(), "a stream");
  }
  const KnownCall Call = knownCall(S);
  if (!Call) {
    return;
  }
  if (Call.isOneOf({"getenv", "secure_getenv", "std::getenv"})) {
    Tell(Call.Where, "the environment");
  } else if (Call.isOneOf({"fopen", "fread", "fgets", "fgetc", "getc", "getchar", "fscanf", "scanf", "read", "mmap", "torch::load",
                           "torch::pickle_load", "torch::jit::load"})) {
    Tell(Call.Where, "a file");
  } else if (Call.isOneOf({"std::getline"}) && isInputStream(Call.Arguments[0]->getType())) {
    Tell(Call.Where, "a stream");
  }
}

}  // namespace graphgen::check
