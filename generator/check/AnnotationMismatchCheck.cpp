// SPDX-License-Identifier: Apache-2.0
//
// Compares arguments and parameters by name. Their order may differ.
#include "check/AnnotationMismatchCheck.h"

#include "check/Arguments.h"

#include "annotation/FlagRules.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace graphgen::check {
namespace {

using annotation::Field;
using annotation::Parameter;
using annotation::ParameterType;
using annotation::Spec;

class Comparison {
 public:
  Comparison(const scan::ScannedCallable& Scanned,
             llvm::function_ref<clang::DiagnosticBuilder(clang::SourceLocation, const llvm::Twine&)> Error, scan::Reporter& Report)
      : Scanned(Scanned), Callable(Scanned.Callable), Error(Error), Report(Report) {}

  void run() {
    for (const Field& Argument : Callable.Spec.Arguments) {
      compare(Argument);
    }
    for (const Parameter& P : Callable.Parameters) {
      if (holdsTensors(P.Type) && !argumentOf(Callable, P) && !Offered.contains(&P)) {
        tellMissing(P);
      }
    }
  }

 private:
  const clang::ParmVarDecl& declaration(const Parameter& P) const {
    return *Scanned.Declaration->getParamDecl(static_cast<unsigned>(&P - Callable.Parameters.data()));
  }

  void noteDeclaration(const Parameter& P) {
    const clang::ParmVarDecl& Declared = declaration(P);
    Report.note(Declared.getLocation(), "'" + P.Name + "' is declared here with type '" + P.Spelling + "'") << Declared.getSourceRange();
  }

  void compare(const Field& Argument) {
    const auto Found = llvm::find_if(Callable.Parameters, [&](const Parameter& Candidate) { return Candidate.Name == Argument.Name; });
    if (Found == Callable.Parameters.end()) {
      return tellUnknown(Argument);
    }
    const Parameter* P = &*Found;
    if (!holdsTensors(P->Type)) {
      return compareScalar(Argument.Value, *P);
    }
    if (Argument.Value.What == Spec::Kind::Scalar) {
      return tellScalarOnTensor(Argument.Value, *P);
    }
    compareTensor(Argument.Value, *P);
  }

  void tellUnknown(const Field& Argument) {
    const clang::CharSourceRange Range = Scanned.Text->range(Argument.NameRange);
    const Parameter* Near = nearest(Argument.Name);
    const std::string Question = Near ? "; did you mean '" + Near->Name + "'?" : "";
    clang::DiagnosticBuilder Builder =
        Error(Range.getBegin(), "'" + Argument.Name + "' is no parameter of '" + Callable.QualifiedName + "'" + Question);
    Builder << Range;
    if (Near) {
      Builder << scan::fixIt(Range, Near->Name);
    }
    Offered.insert(Near);
  }

  /// The parameter without an argument whose name is nearest to `Name`.
  const Parameter* nearest(llvm::StringRef Name) const {
    const Parameter* Best = nullptr;
    unsigned BestDistance = static_cast<unsigned>(Name.size() + 2) / 3;
    for (const Parameter& P : Callable.Parameters) {
      const unsigned Distance = Name.edit_distance(P.Name, /*AllowReplacements=*/true, BestDistance);
      if (argumentOf(Callable, P) || Offered.contains(&P) || Distance > BestDistance || (Best && Distance == BestDistance)) {
        continue;
      }
      Best = &P;
      BestDistance = Distance;
    }
    return Best;
  }

  void compareScalar(const Spec& Value, const Parameter& P) {
    const bool IsLive = P.Type == ParameterType::LiveScalar;
    const llvm::StringRef Words = IsLive ? "'live'" : "'key' or 'const'";
    const clang::CharSourceRange Range = Scanned.Text->range(Value.Range);
    if (Value.What != Spec::Kind::Scalar) {
      Error(Range.getBegin(), "parameter '" + P.Name + "' is no tensor: it takes " + Words) << Range;
    } else if (IsLive == (Value.Scalar == annotation::ScalarKind::Live)) {
      return;
    } else if (IsLive) {
      Error(Range.getBegin(), "parameter '" + P.Name + "' is a graphed::Scalar, which the graph reads anew on every call: it takes 'live'")
          << Range << scan::fixIt(Range, "live");
    } else {
      const llvm::StringRef Way = isNumber(P.Type) ? "declare it 'const graphed::Scalar &', or mark it " : "it takes ";
      Error(Range.getBegin(), "parameter '" + P.Name + "' is no graphed::Scalar, which 'live' needs: " + Way + Words) << Range;
    }
    noteDeclaration(P);
  }

  void tellScalarOnTensor(const Spec& Value, const Parameter& P) {
    const clang::CharSourceRange Range = Scanned.Text->range(Value.Range);
    Error(Range.getBegin(), "parameter '" + P.Name + "' holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]'") << Range;
    noteDeclaration(P);
  }

  void compareTensor(const Spec& Value, const Parameter& P) {
    const bool IsList = isListOfTensors(P.Type);
    if (IsList && !Value.Repeat) {
      const clang::CharSourceRange Range = Scanned.Text->range(Value.Range);
      Error(Range.getEnd(), "parameter '" + P.Name + "' is a list of tensors: say how many, such as '* 3'") << Range;
      noteDeclaration(P);
    } else if (!IsList && Value.Repeat) {
      tellCount(*Value.Repeat, P);
    }
    if (P.Type == ParameterType::TensorLvalue && !findFlag(Value, annotation::Flag::Inplace)) {
      tellReference(Value, P);
    }
    const annotation::FlagUse* Optional = findFlag(Value, annotation::Flag::Optional);
    if (IsList && Optional) {
      const clang::CharSourceRange Range = Scanned.Text->range(Optional->Range);
      Error(Range.getBegin(), "parameter '" + P.Name + "' is a list of tensors, none of which can be absent") << Range;
      noteDeclaration(P);
    }
  }

  void tellCount(const annotation::Expr& Count, const Parameter& P) {
    const llvm::StringRef Before = Scanned.Text->text().take_front(Count.Range.Begin);
    const auto Star = static_cast<unsigned>(Before.rfind('*'));
    const auto Begin = static_cast<unsigned>(Before.take_front(Star).rtrim().size());
    const clang::CharSourceRange Range = Scanned.Text->range({Star, Count.Range.End});
    Error(Range.getBegin(), "parameter '" + P.Name + "' is one tensor: it takes no count")
        << Range << clang::FixItHint::CreateRemoval(Scanned.Text->range({Begin, Count.Range.End}));
    noteDeclaration(P);
  }

  void tellReference(const Spec& Value, const Parameter& P) {
    const clang::CharSourceRange End = Scanned.Text->range({Value.Range.End, Value.Range.End});
    Error(End.getBegin(), "parameter '" + P.Name + "' is a reference that the callable may write: mark it 'inplace', or declare it const")
        << scan::fixIt(End, " inplace");
    noteDeclaration(P);
  }

  void tellMissing(const Parameter& P) {
    const clang::ParmVarDecl& Declared = declaration(P);
    Error(Declared.getLocation(), "parameter '" + P.Name + "' of type '" + P.Spelling + "' is not in the annotation")
        << Declared.getSourceRange();
    const annotation::FixIt Addition = additionOf(Callable, P.Name + ": f32[...]");
    Report.note(Scanned.Text->range(Addition.Range).getBegin(), "say its dtype and shape here, such as '" + P.Name + ": f32[64, 128]'");
  }

  const scan::ScannedCallable& Scanned;
  const annotation::Callable& Callable;
  llvm::function_ref<clang::DiagnosticBuilder(clang::SourceLocation, const llvm::Twine&)> Error;
  scan::Reporter& Report;
  llvm::SmallPtrSet<const Parameter*, 4> Offered;  // for a misspelt name
};

}  // namespace

void AnnotationMismatchCheck::check(const scan::ScannedCallable& Scanned, scan::Reporter& Report) const {
  const auto Error = [&](clang::SourceLocation Where, const llvm::Twine& Message) { return error(Report, Where, Message); };
  Comparison(Scanned, Error, Report).run();
}

}  // namespace graphgen::check
