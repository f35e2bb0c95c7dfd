// SPDX-License-Identifier: Apache-2.0
//
// Arguments are found by their places, and parts of them by the name of the last member.
#include "check/Annotations.h"

#include "check/code/Frame.h"
#include "check/tensors/Conversions.h"

#include "annotation/FlagRules.h"
#include "annotation/Words.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace graphgen::check {
namespace {

using annotation::Bound;
using annotation::Spec;
using Nodes = std::vector<const Bound*>;

/// The members of that name, however deep.
void addParts(const Bound& Whole, llvm::StringRef Name, Nodes& Found) {
  for (const Bound& Each : Whole.Parts) {
    if (Each.Name == Name) {
      Found.push_back(&Each);
    }
    addParts(Each, Name, Found);
  }
}

/// The argument, or the parts that it may be; empty where the annotation does not name them.
Nodes nodesOf(const scan::ScannedCallable& Annotated, const Owner& Argument) {
  const Bound* Whole = argumentOf(Annotated, *Argument.Declared);
  if (!Whole) {
    return {};
  }
  Nodes Parts;
  if (Argument.Part) {
    addParts(*Whole, Argument.Part->getName(), Parts);
  }
  Nodes Result = Parts.empty() ? Nodes{Whole} : Parts;
  llvm::erase_if(Result, [](const Bound* Each) { return !Each->Said; });
  return Result;
}

/// Of the argument that E is as a whole, or a part of it; not of what views or copies show of it.
Nodes nodesOf(const scan::ScannedCallable& Annotated, const clang::Expr& E, const Frame& In) {
  const Owner Its = ownerOf(E, Aspect::Tensor, In);
  return Its.What == Owner::Kind::Argument ? nodesOf(Annotated, Its) : Nodes();
}

bool isTensorNode(const Bound& Node) { return Node.Said->What == Spec::Kind::Tensor; }

std::optional<annotation::DType> typeOf(const Nodes& Found) {
  const bool IsOne = !Found.empty() && llvm::all_of(Found, [&](const Bound* Each) {
    return isTensorNode(*Each) && Each->Said->Type == Found.front()->Said->Type;
  });
  return IsOne ? std::optional(Found.front()->Said->Type) : std::nullopt;
}

}  // namespace

AnnotationsByFunction byFunction(llvm::ArrayRef<scan::ScannedCallable> Callables) {
  AnnotationsByFunction Functions;
  for (const scan::ScannedCallable& Each : Callables) {
    Functions[Each.Declaration].push_back(&Each);
  }
  return Functions;
}

const Bound* argumentOf(const scan::ScannedCallable& Annotated, const clang::ValueDecl& Parameter) {
  const auto* Its = llvm::dyn_cast<clang::ParmVarDecl>(&Parameter);
  const auto* Function = Its ? llvm::dyn_cast<clang::FunctionDecl>(Its->getDeclContext()) : nullptr;
  const bool IsOwn = Function && Function->getCanonicalDecl() == Annotated.Declaration->getCanonicalDecl();
  return IsOwn ? &Annotated.Callable.Arguments[Its->getFunctionScopeIndex()] : nullptr;
}

bool isFlagged(const Owner& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const Nodes Found = nodesOf(*Each, Argument);
    return Found.empty() || llvm::any_of(Found, [&](const Bound* Node) { return annotation::anyHasFlag(*Node, Flag); });
  });
}

bool isConverted(const Owner& Argument, AnnotationsOfOne Annotations, const Frame& In) {
  return Argument.Through && llvm::all_of(Annotations, [&](const scan::ScannedCallable* Each) {
           const auto Known = [&](const clang::Expr& Tensor) { return typeOf(nodesOf(*Each, Tensor, In)); };
           const auto IsOther = [&](const Bound* Node) {
             return isTensorNode(*Node) && namesOtherDType(*Argument.Through, Node->Said->Type, Known);
           };
           const Nodes Found = nodesOf(*Each, Argument);
           return !Found.empty() && llvm::all_of(Found, IsOther);
         });
}

std::optional<annotation::DType> typeOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In) {
  std::optional<annotation::DType> Result;
  for (const scan::ScannedCallable* Each : Annotations) {
    const std::optional<annotation::DType> Type = typeOf(nodesOf(*Each, Tensor, In));
    if (!Type || (Result && *Result != *Type)) {
      return std::nullopt;
    }
    Result = Type;
  }
  return Result;
}

std::vector<Sizes> sizesOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In) {
  std::vector<Sizes> Result;
  for (const scan::ScannedCallable* Each : Annotations) {
    const Nodes Found = nodesOf(*Each, Tensor, In);
    if (Found.size() != 1 || !isTensorNode(*Found.front()) || Found.front()->Said->Repeat) {
      return {};
    }
    for (const annotation::Constants& Values : annotation::combinations(Each->Callable.Variables)) {
      Result.push_back(annotation::shapeAt(*Found.front()->Said, Values));
    }
  }
  return Result;
}

bool hasOneShape(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In) {
  std::optional<std::vector<Sizes>> Known;
  for (const scan::ScannedCallable* Each : Annotations) {
    Nodes Found = nodesOf(*Each, Tensor, In);
    if (Found.empty()) {
      llvm::transform(Each->Callable.Arguments, std::back_inserter(Found), [](const Bound& Argument) { return &Argument; });
    }
    for (const annotation::Constants& Values : annotation::combinations(Each->Callable.Variables)) {
      std::vector<Sizes> Here;
      for (const Bound* Node : Found) {
        annotation::forEachTensor(*Node, [&](const Spec& Said) { Here.push_back(annotation::shapeAt(Said, Values)); });
      }
      if (Known && *Known != Here) {
        return false;
      }
      Known = std::move(Here);
    }
  }
  return true;
}

bool isConstant(const clang::ParmVarDecl& Parameter, AnnotationsOfOne Annotations) {
  return llvm::all_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const Bound* Argument = argumentOf(*Each, Parameter);
    return Argument && Argument->Said && Argument->Said->What == Spec::Kind::Scalar &&
           Argument->Said->Scalar == annotation::ScalarKind::Const;
  });
}

std::optional<Elements> elementsOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In) {
  std::optional<Elements> Result;
  for (const Sizes& Each : sizesOf(Tensor, Annotations, In)) {
    const int64_t Count = std::accumulate(Each.begin(), Each.end(), int64_t{1}, std::multiplies<>());
    Result = Result ? Elements{std::min(Result->Least, Count), std::max(Result->Most, Count)} : Elements{Count, Count};
  }
  return Result;
}

std::vector<clang::FixItHint> fixesThatMark(const Owner& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  std::vector<clang::FixItHint> Fixes;
  for (const scan::ScannedCallable* Each : Annotations) {
    const Nodes Found = nodesOf(*Each, Argument);
    if (Found.size() != 1 || !isTensorNode(*Found.front())) {
      return {};
    }
    const unsigned End = Found.front()->Said->Range.End;
    const clang::CharSourceRange Behind = Each->Text->range({End, End});
    if (!Behind.getBegin().isFileID()) {
      return {};
    }
    Fixes.push_back(scan::fixIt(Behind, (" " + annotation::spelling(Flag)).str()));
  }
  return Fixes;
}

}  // namespace graphgen::check
