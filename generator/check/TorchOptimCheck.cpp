// SPDX-License-Identifier: Apache-2.0
//
// By the class whose step() is called, as far as the call tells it: a torch::optim::Optimizer& may be one of graphed::optim's.
#include "check/TorchOptimCheck.h"

#include "check/code/KnownCalls.h"
#include "scan/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

enum class Kind { None, Counter, Rate, Closure, Scheduler };

Kind kindOf(const clang::CXXRecordDecl& Class) {
  const std::string Name = scan::qualifiedName(Class);
  const Kind Own = llvm::StringSwitch<Kind>(Name)
                       .Cases({"torch::optim::Adam", "torch::optim::AdamW"}, Kind::Counter)
                       .Cases({"torch::optim::SGD", "torch::optim::Adagrad", "torch::optim::RMSprop"}, Kind::Rate)
                       .Case("torch::optim::LBFGS", Kind::Closure)
                       .Cases({"torch::optim::LRScheduler", "torch::optim::ReduceLROnPlateauScheduler"}, Kind::Scheduler)
                       .Default(Kind::None);
  if (Own != Kind::None || !Class.hasDefinition()) {
    return Own;
  }
  for (const clang::CXXBaseSpecifier& Each : Class.bases()) {
    const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl();
    if (const Kind OfBase = Base ? kindOf(*Base) : Kind::None; OfBase != Kind::None) {
      return OfBase;
    }
  }
  return Kind::None;
}

/// The class of the object whose step() this is; null where it is another call.
const clang::CXXRecordDecl* stepped(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  return Method && Method->getIdentifier() && Method->getName() == "step" ? Call->getObjectType()->getAsCXXRecordDecl() : nullptr;
}

}  // namespace

void TorchOptimCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  if (Call && Call.isOneOf({"torch::nn::utils::clip_grad_norm_"})) {
    return report(At, Call.Where, S.getSourceRange(),
                  "'clip_grad_norm_' reads the norm on the host, which a graph cannot do; 'graphed::clip_grad_norm_' does not");
  }
  if (Call && Call.isOneOf({"torch::optim::OptimizerOptions::set_lr"})) {
    return suspect(At, Call.Where, S.getSourceRange(), "'set_lr' sets a learning rate when the graph is captured, not in replays");
  }
  const clang::CXXRecordDecl* Class = stepped(S);
  if (!Class) {
    return;
  }
  const clang::SourceLocation Where = llvm::cast<clang::CXXMemberCallExpr>(S).getExprLoc();
  switch (kindOf(*Class)) {
    case Kind::None:
      return;
    case Kind::Counter:
      return report(At, Where, S.getSourceRange(),
                    "the step count of 'torch::optim::" + Class->getName() +
                        "' is on the host, where no graph can hold it; that of 'graphed::optim::" + Class->getName() +
                        "' is on the device");
    case Kind::Rate:
      return suspect(At, Where, S.getSourceRange(),
                     "a capture freezes the learning rate of 'torch::optim::" + Class->getName() +
                         "'; that of 'graphed::optim::" + Class->getName() + "' is on the device");
    case Kind::Closure:
      return report(At, Where, S.getSourceRange(), "'torch::optim::LBFGS' reads values on the host, which a graph cannot do");
    case Kind::Scheduler:
      return report(At, Where, S.getSourceRange(), "a scheduler sets learning rates when the graph is captured, not in replays");
  }
}

}  // namespace graphgen::check
