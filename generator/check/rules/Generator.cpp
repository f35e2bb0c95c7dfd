// SPDX-License-Identifier: Apache-2.0
//
// A generator of CUDA that the program made is given to an operator.
#include "check/flow/Types.h"
#include "check/rules/Rule.h"

#include "clang/AST/DeclTemplate.h"

namespace graphgen::check {
namespace {

bool isGeneratorOfCuda(const clang::Expr* Made) {
  const auto* Call = llvm::dyn_cast_if_present<clang::CallExpr>(Made);
  const clang::FunctionDecl* Maker = Call ? Call->getDirectCallee() : nullptr;
  if (!Maker || !Maker->getIdentifier() || Maker->getName() != "make_generator") {
    return Maker && Maker->getIdentifier() && Maker->getName() == "createCUDAGenerator";
  }
  const clang::TemplateArgumentList* Arguments = Maker->getTemplateSpecializationArgs();
  const clang::TagDecl* Class = Arguments ? Arguments->get(0).getAsType()->getAsTagDecl() : nullptr;
  return Class && Class->getName() == "CUDAGeneratorImpl";
}

void judgeGenerator(const Occurrence& At) {
  if (!At.Its.Function || flow::kindOf(At.Its.Function->getReturnType()) != flow::TypeKind::Tensor) {
    return;
  }
  for (const auto& [Given, E] : llvm::zip(At.Its.Arguments, At.Its.Expressions)) {
    if (Given && isGeneratorOfCuda(Given->Made)) {
      At.report(*E, "a CUDA generator other than the device's default one: no graph draws from it",
                {{Given->Made->getExprLoc(), "the generator is made here"}});
    }
  }
}

}  // namespace

const Rule rules::Generator{.OnCall = judgeGenerator};

}  // namespace graphgen::check
