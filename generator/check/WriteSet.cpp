// SPDX-License-Identifier: Apache-2.0
//
// The walk of the checks, with a check that only collects.
#include "check/WriteSet.h"

#include "check/CallWalk.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

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

}  // namespace

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

WriteSet WriteSet::of(const clang::FunctionDecl& Annotated, AnnotationsOfOne Annotations, const scan::Bodies& Bodies,
                      const UnitIndex& Index) {
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
  if (Callables.empty()) {
    return Told;
  }
  const UnitIndex Index(Callables.front().Declaration->getASTContext());
  std::map<const clang::FunctionDecl*, std::vector<annotation::Write>> Known;
  for (const auto& [Function, Annotations] : byFunction(Callables)) {
    if (Bodies.definitionOf(*Function)) {
      Known[Function] = WriteSet::of(*Function, Annotations, Bodies, Index).inWords();
    }
  }
  for (const scan::ScannedCallable& Each : Callables) {
    const auto Found = Known.find(Each.Declaration);
    Told.push_back(Found == Known.end() ? std::nullopt : std::optional(Found->second));
  }
  return Told;
}

}  // namespace graphgen::check
