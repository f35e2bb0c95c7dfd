// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Words.h"

#include "annotation/Words.h"
#include "check/code/Library.h"
#include "check/flow/Annotated.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

std::string wordsOf(const flow::PathNode& Of) {
  const clang::ValueDecl* Named = Of.named();
  const std::string Name = Named ? "'" + Named->getNameAsString() + "'" : "the object";
  if (Of.isOfArgument()) {
    const bool IsPart = Named != Of.declared();
    const bool IsOfMap = Of.parent() && Of.last().What == flow::Step::Kind::Element && Of.last().Index < 0;
    return "the argument '" + Of.declared()->getNameAsString() + (IsPart ? "." + Named->getNameAsString() : "") +
           (IsOfMap ? "[\"" + Of.last().Key.str() + "\"]" : "") + "'";
  }
  return llvm::isa_and_nonnull<clang::FieldDecl>(Named) ? "the member " + Name : Name;
}

bool isOf(const flow::Fact& Call, Trait What) {
  return Call.Function && llvm::any_of(overlayOf(*Call.Function), [&](const OverlayRow* Each) { return Each->What->Its == What; });
}

flow::ValueRef madeAnotherBy(const flow::Fact& Call) {
  const bool Reshapes = Call.Operator && Call.Operator->Called->has(InplaceView);
  if (!Reshapes && !isOf(Call, Trait::ChangesMemory)) {
    return nullptr;
  }
  return Call.Object ? Call.Object : Call.Operator ? Call.Arguments.front() : Call.Arguments.back();
}

std::string nameOfModuleOr(const clang::NamedDecl& Function) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  llvm::StringRef Class = Method && Method->getParent()->getIdentifier() ? Method->getParent()->getName() : "";
  const bool IsModule = Class.consume_back("Impl") && Function.getNameAsString() == "forward" && isOfLibrary(Function);
  return IsModule ? Class.str() : Function.getNameAsString();
}

std::string operationOf(const flow::Fact& Its) {
  if (!Its.Function || Its.Function->getOverloadedOperator() == clang::OO_Equal) {
    return "=";
  }
  const clang::OverloadedOperatorKind Operator = Its.Function->getOverloadedOperator();
  return Operator == clang::OO_None ? nameOfModuleOr(*Its.Function) : clang::getOperatorSpelling(Operator);
}

bool isFlagged(const flow::PathNode& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const std::vector<const annotation::Bound*> Found = flow::boundsOf(*Each, &Argument);
    return Found.empty() || llvm::any_of(Found, [&](const annotation::Bound* One) { return anyHasFlag(*One, Flag); });
  });
}

const annotation::Bound* unseenAt(const flow::PathNode& Of, AnnotationsOfOne Annotations) {
  if (Of.from() != flow::Root::Argument) {
    return nullptr;
  }
  for (const scan::ScannedCallable* Each : Annotations) {
    const annotation::Bound* Found = flow::boundOf(*Each, &Of);
    if (Found && Found->Said->What == annotation::Spec::Kind::Unseen) {
      return Found;
    }
  }
  return nullptr;
}

bool isGivenBack(const flow::PathNode& Argument, AnnotationsOfOne Annotations) {
  const flow::PathNode* Root = Argument.root();
  return Root->from() == flow::Root::Argument && llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
           const annotation::Bound* Its = argumentOf(*Each, *Root->declared());
           return Its && Its->IsChangeable;
         });
}

std::vector<clang::FixItHint> fixesThatMark(const flow::PathNode& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  std::vector<clang::FixItHint> Fixes;
  for (const scan::ScannedCallable* Each : Annotations) {
    const annotation::Bound* Found = flow::boundOf(*Each, &Argument);
    const annotation::Spec* Said = Found ? &*Found->Said : nullptr;
    if (!Said || Said->What != annotation::Spec::Kind::Tensor) {
      return {};
    }
    const clang::CharSourceRange Behind = Each->Text->range({Said->Range.End, Said->Range.End});
    if (!Behind.getBegin().isFileID()) {
      return {};
    }
    Fixes.push_back(scan::fixIt(Behind, (" " + annotation::spelling(Flag)).str()));
  }
  return Fixes;
}

}  // namespace graphgen::check
