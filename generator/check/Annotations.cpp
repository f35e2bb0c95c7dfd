// SPDX-License-Identifier: Apache-2.0
//
// Arguments are found by their names, and parts of them by the name of the last member.
#include "check/Annotations.h"

#include "check/code/Frame.h"
#include "check/tensors/Conversions.h"

#include "annotation/Variables.h"
#include "annotation/Words.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace graphgen::check {
namespace {

bool hasFlag(const annotation::Spec& Spec, annotation::Flag Flag) {
  return llvm::any_of(Spec.Flags, [&](const annotation::FlagUse& Each) { return Each.Value == Flag; });
}

using Specs = std::vector<const annotation::Spec*>;

/// The members of that name, however deep.
void addParts(const annotation::Spec& Whole, llvm::StringRef Name, Specs& Found) {
  for (const annotation::Field& Each : Whole.Fields) {
    if (Each.Name == Name) {
      Found.push_back(&Each.Value);
    }
    addParts(Each.Value, Name, Found);
  }
}

/// The argument, or the parts that it may be; empty where the annotation does not name the argument.
Specs specsOf(const annotation::Callable& Callable, const Owner& Argument) {
  const auto Given =
      llvm::find_if(Callable.Spec.Arguments, [&](const annotation::Field& Each) { return Each.Name == Argument.Declared->getName(); });
  if (Given == Callable.Spec.Arguments.end()) {
    return {};
  }
  Specs Parts;
  if (Argument.Part) {
    addParts(Given->Value, Argument.Part->getName(), Parts);
  }
  return Parts.empty() ? Specs{&Given->Value} : Parts;
}

/// Of the argument that E is as a whole, or a part of it; not of what views or copies show of it.
Specs specsOf(const annotation::Callable& Callable, const clang::Expr& E, const Frame& In) {
  const Owner Its = ownerOf(E, Aspect::Tensor, In);
  return Its.What == Owner::Kind::Argument ? specsOf(Callable, Its) : Specs();
}

std::optional<annotation::DType> typeOf(const Specs& Said) {
  const bool IsOne = !Said.empty() && llvm::all_of(Said, [&](const annotation::Spec* Each) {
    return Each->What == annotation::Spec::Kind::Tensor && Each->Type == Said.front()->Type;
  });
  return IsOne ? std::optional(Said.front()->Type) : std::nullopt;
}

std::optional<Sizes> sizesOf(const annotation::Spec& Tensor, const annotation::Constants& Known) {
  if (Tensor.What != annotation::Spec::Kind::Tensor || Tensor.Repeat) {
    return std::nullopt;
  }
  const annotation::Evaluated<Sizes> Shape = annotation::evaluateShape(Tensor, Known);
  const auto* Evaluated = std::get_if<Sizes>(&Shape);
  return Evaluated ? std::optional(*Evaluated) : std::nullopt;
}

using Shapes = std::vector<Sizes>;

/// Of every tensor in it.
void addShapes(const annotation::Spec& Spec, const annotation::Constants& Known, Shapes& Found) {
  if (Spec.What == annotation::Spec::Kind::Tensor) {
    const annotation::Evaluated<Sizes> Shape = annotation::evaluateShape(Spec, Known);
    const auto* Evaluated = std::get_if<Sizes>(&Shape);
    Found.push_back(Evaluated ? *Evaluated : Sizes());
  }
  for (const annotation::Field& Each : Spec.Fields) {
    addShapes(Each.Value, Known, Found);
  }
}

}  // namespace

AnnotationsByFunction byFunction(llvm::ArrayRef<scan::ScannedCallable> Callables) {
  AnnotationsByFunction Functions;
  for (const scan::ScannedCallable& Each : Callables) {
    Functions[Each.Declaration].push_back(&Each);
  }
  return Functions;
}

bool anyHasFlag(const annotation::Spec& Spec, annotation::Flag Flag) {
  return hasFlag(Spec, Flag) || llvm::any_of(Spec.Fields, [&](const annotation::Field& Each) { return anyHasFlag(Each.Value, Flag); });
}

bool isFlagged(const Owner& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const Specs Said = specsOf(Each->Callable, Argument);
    return Said.empty() || llvm::any_of(Said, [&](const annotation::Spec* Spec) { return anyHasFlag(*Spec, Flag); });
  });
}

bool isConverted(const Owner& Argument, AnnotationsOfOne Annotations, const Frame& In) {
  return Argument.Through && llvm::all_of(Annotations, [&](const scan::ScannedCallable* Each) {
           const auto Known = [&](const clang::Expr& Tensor) { return typeOf(specsOf(Each->Callable, Tensor, In)); };
           const auto IsOther = [&](const annotation::Spec* Spec) {
             return Spec->What == annotation::Spec::Kind::Tensor && namesOtherDType(*Argument.Through, Spec->Type, Known);
           };
           const Specs Said = specsOf(Each->Callable, Argument);
           return !Said.empty() && llvm::all_of(Said, IsOther);
         });
}

std::optional<annotation::DType> typeOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In) {
  std::optional<annotation::DType> Result;
  for (const scan::ScannedCallable* Each : Annotations) {
    const std::optional<annotation::DType> Type = typeOf(specsOf(Each->Callable, Tensor, In));
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
    const Specs Said = specsOf(Each->Callable, Tensor, In);
    for (const annotation::Constants& Known : annotation::combinations(Each->Callable.Spec, Each->Callable.Constants)) {
      const std::optional<Sizes> OfOne = Said.size() == 1 ? sizesOf(*Said.front(), Known) : std::nullopt;
      if (!OfOne) {
        return {};
      }
      Result.push_back(*OfOne);
    }
  }
  return Result;
}

bool hasOneShape(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In) {
  std::optional<Shapes> Known;
  for (const scan::ScannedCallable* Each : Annotations) {
    Specs Said = specsOf(Each->Callable, Tensor, In);
    if (Said.empty()) {
      llvm::transform(Each->Callable.Spec.Arguments, std::back_inserter(Said), [](const annotation::Field& Field) { return &Field.Value; });
    }
    for (const annotation::Constants& Values : annotation::combinations(Each->Callable.Spec, Each->Callable.Constants)) {
      Shapes Here;
      llvm::for_each(Said, [&](const annotation::Spec* Spec) { addShapes(*Spec, Values, Here); });
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
    const Specs Said = specsOf(Each->Callable, Owner{Owner::Kind::Argument, &Parameter});
    return Said.size() == 1 && Said.front()->What == annotation::Spec::Kind::Scalar &&
           Said.front()->Scalar == annotation::ScalarKind::Const;
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
    const Specs Said = specsOf(Each->Callable, Argument);
    if (Said.size() != 1 || Said.front()->What != annotation::Spec::Kind::Tensor) {
      return {};
    }
    const unsigned End = Said.front()->Range.End;
    const clang::CharSourceRange Behind = Each->Text->range({End, End});
    if (!Behind.getBegin().isFileID()) {
      return {};
    }
    Fixes.push_back(scan::fixIt(Behind, (" " + annotation::spelling(Flag)).str()));
  }
  return Fixes;
}

}  // namespace graphgen::check
