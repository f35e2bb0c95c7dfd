// SPDX-License-Identifier: Apache-2.0
//
// Arguments are found by their places.
#include "check/Annotations.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

AnnotationsByFunction byFunction(llvm::ArrayRef<scan::ScannedCallable> Callables) {
  AnnotationsByFunction Functions;
  for (const scan::ScannedCallable& Each : Callables) {
    Functions[Each.Declaration].push_back(&Each);
  }
  return Functions;
}

bool areOfStep(AnnotationsOfOne Annotations) {
  const auto IsStep = [](const annotation::Option& Each) { return Each.Kind == annotation::OptionKind::Step; };
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) { return llvm::any_of(Each->Callable.Options, IsStep); });
}

const annotation::Bound* argumentOf(const scan::ScannedCallable& Annotated, const clang::ValueDecl& Parameter) {
  const auto* Its = llvm::dyn_cast<clang::ParmVarDecl>(&Parameter);
  const auto* Function = Its ? llvm::dyn_cast<clang::FunctionDecl>(Its->getDeclContext()) : nullptr;
  const bool IsOwn = Function && Function->getCanonicalDecl() == Annotated.Declaration->getCanonicalDecl();
  return IsOwn ? &Annotated.Callable.Arguments[Its->getFunctionScopeIndex()] : nullptr;
}

}  // namespace graphgen::check
