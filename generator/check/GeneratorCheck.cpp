// SPDX-License-Identifier: Apache-2.0
//
// From a generator that is handed to LibTorch to where it was made, through members and variables.
#include "check/GeneratorCheck.h"

#include "check/code/KnownCalls.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/TensorCalls.h"
#include "scan/Types.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool makesGenerator(const clang::Expr& E) {
  const KnownCall Call = knownCall(E);
  if (!Call || !Call.isOneOf({"at::make_generator"})) {
    return Call && Call.isOneOf({"at::cuda::detail::createCUDAGenerator"});
  }
  const clang::TemplateArgumentList* Arguments = Call.Function->getTemplateSpecializationArgs();
  const clang::TagDecl* Made = Arguments ? Arguments->get(0).getAsType()->getAsTagDecl() : nullptr;
  return Made && Made->getName() == "CUDAGeneratorImpl";
}

/// The call that makes a generator of CUDA in E; null where there is none.
const clang::Expr* makerIn(const clang::Expr& E) {
  if (makesGenerator(E)) {
    return &E;
  }
  for (const clang::Stmt* Each : E.children()) {
    const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
    if (const clang::Expr* Found = Part ? makerIn(*Part) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

/// Where what E names was made; of several, the first that is CUDA's.
const clang::Expr* makerOf(const clang::Expr& E, const UnitIndex& Index) {
  const clang::Expr& Origin = originOf(E);
  if (const clang::ValueDecl* Named = pathOf(Origin).Named) {
    for (const clang::Expr* Each : Index.valuesOf(*Named)) {
      if (const clang::Expr* Found = makerIn(*Each)) {
        return Found;
      }
    }
    return nullptr;
  }
  if (libraryClass(Origin.getType()) == "optional") {
    const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&Origin);
    return Construction && Construction->getNumArgs() == 1 ? makerOf(*Construction->getArg(0), Index) : nullptr;
  }
  return makerIn(Origin);
}

bool isGenerator(clang::QualType Type) {
  const llvm::StringRef Class = libraryClass(Type);
  return Class == "Generator" || Class == "optional";
}

}  // namespace

void GeneratorCheck::check(const clang::Stmt& S, const Place& At) const {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !isOfLibrary(*Function) || !isTensor(Function->getReturnType())) {
    return;
  }
  for (unsigned Index = 0; Index < Call->getNumArgs() && Index < Function->getNumParams(); ++Index) {
    const clang::Expr& Argument = *Call->getArg(Index);
    const clang::Expr* Maker = isGenerator(Function->getParamDecl(Index)->getType()) ? makerOf(Argument, At.Index) : nullptr;
    if (Maker) {
      return report(At, Argument.getBeginLoc(), Argument.getSourceRange(),
                    "a CUDA generator other than the device's default one: no graph draws from it",
                    {{Maker->getExprLoc(), "the generator is made here"}});
    }
  }
}

}  // namespace graphgen::check
