// SPDX-License-Identifier: Apache-2.0
//
// The walk of the checks, with a check that only collects.
#include "check/WriteSet.h"

#include "check/Arguments.h"
#include "check/CallWalk.h"
#include "check/Conversions.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

llvm::StringRef describe(Write::Fate Outcome) {
  switch (Outcome) {
    case Write::Fate::CopiedBack:
      return "copied back to the caller's tensor";
    case Write::Fate::KeptInPlace:
      return "kept in place";
    case Write::Fate::Refused:
      return "refused: the plain callable runs";
    case Write::Fate::CaptureOnly:
      return "done at the capture only";
  }
  llvm_unreachable("every fate is above");
}

bool hasFlag(const annotation::Spec& Spec, annotation::Flag Flag) {
  return llvm::any_of(Spec.Flags, [&](const annotation::FlagUse& Each) { return Each.Value == Flag; });
}

/// The member of that name, however deep; null where there is none.
const annotation::Spec* findPart(const annotation::Spec& Whole, llvm::StringRef Name) {
  for (const annotation::Field& Each : Whole.Fields) {
    if (Each.Name == Name) {
      return &Each.Value;
    }
    if (const annotation::Spec* Found = findPart(Each.Value, Name)) {
      return Found;
    }
  }
  return nullptr;
}

/// Null where the annotation does not name the argument.
const annotation::Spec* specOf(const annotation::Callable& Callable, const Owner& Argument) {
  const auto Given =
      llvm::find_if(Callable.Spec.Arguments, [&](const annotation::Field& Each) { return Each.Name == Argument.Declared->getName(); });
  if (Given == Callable.Spec.Arguments.end()) {
    return nullptr;
  }
  const annotation::Spec* Part = Argument.Part ? findPart(Given->Value, Argument.Part->getName()) : nullptr;
  return Part ? Part : &Given->Value;
}

}  // namespace

bool anyHasFlag(const annotation::Spec& Spec, annotation::Flag Flag) {
  return hasFlag(Spec, Flag) || llvm::any_of(Spec.Fields, [&](const annotation::Field& Each) { return anyHasFlag(Each.Value, Flag); });
}

bool isFlagged(const Owner& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations) {
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const annotation::Spec* Spec = specOf(Each->Callable, Argument);
    return !Spec || anyHasFlag(*Spec, Flag);
  });
}

bool isConverted(const Owner& Argument, AnnotationsOfOne Annotations) {
  return Argument.Through && llvm::all_of(Annotations, [&](const scan::ScannedCallable* Each) {
           const annotation::Spec* Spec = specOf(Each->Callable, Argument);
           return Spec && Spec->What == annotation::Spec::Kind::Tensor && namesOtherDType(*Argument.Through, Spec->Type);
         });
}

std::string describe(const Owner& Target) {
  const clang::ValueDecl* Named = Target.Part ? Target.Part : Target.Declared;
  const std::string Name = Named ? "'" + Named->getNameAsString() + "'" : "the object";
  if (Target.What == Owner::Kind::Argument) {
    return "the argument '" + Target.Declared->getNameAsString() + (Target.Part ? "." + Target.Part->getNameAsString() : "") + "'";
  }
  return llvm::isa_and_nonnull<clang::FieldDecl>(Named) ? "the member " + Name : Name;
}

class WriteSet::Collector : public CaptureCheck {
 public:
  explicit Collector(WriteSet& Set) : CaptureCheck("write-set"), Set(Set) {}
  void check(const clang::Stmt& S, const Place& At) const override {
    for (Write& Each : writesOf(S, At)) {
      Set.add(std::move(Each));
    }
  }

 private:
  WriteSet& Set;
};

WriteSet WriteSet::of(const clang::FunctionDecl& Annotated, AnnotationsOfOne Annotations, const scan::Bodies& Bodies) {
  const UnitIndex Index(Annotated.getASTContext());
  WriteSet Result;
  const Collector Collect(Result);
  const CaptureCheck* Checks[] = {&Collect};
  Findings Found;
  CallWalk(Checks, Bodies, Index, Annotations, Found).run(Annotated);
  const clang::SourceManager& Sources = Annotated.getASTContext().getSourceManager();
  llvm::stable_sort(Result.Writes, [&](const Write& A, const Write& B) { return Sources.isBeforeInTranslationUnit(A.Where, B.Where); });
  return Result;
}

void WriteSet::add(Write New) {
  const auto IsSame = [&](const Write& Each) {
    return Each.Target == New.Target && Each.Kind == New.Kind && Each.Operation == New.Operation;
  };
  if (llvm::none_of(Writes, IsSame)) {
    Writes.push_back(std::move(New));
  }
}

std::vector<annotation::Write> WriteSet::inWords() const {
  std::vector<annotation::Write> Words;
  for (const Write& Each : Writes) {
    Words.push_back(
        {check::describe(Each.Target) + (Each.IsPerhaps ? ", or a copy of it" : ""), Each.Operation, describe(Each.Outcome).str()});
  }
  return Words;
}

std::vector<std::optional<std::vector<annotation::Write>>> writesInWords(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                         const scan::Bodies& Bodies) {
  std::vector<std::optional<std::vector<annotation::Write>>> Told;
  for (const scan::ScannedCallable& Each : Callables) {
    std::vector<const scan::ScannedCallable*> Annotations;
    for (const scan::ScannedCallable& Other : Callables) {
      if (Other.Declaration == Each.Declaration) {
        Annotations.push_back(&Other);
      }
    }
    Told.emplace_back();
    if (Bodies.definitionOf(*Each.Declaration)) {
      Told.back() = WriteSet::of(*Each.Declaration, Annotations, Bodies).inWords();
    }
  }
  return Told;
}

}  // namespace graphgen::check
