// SPDX-License-Identifier: Apache-2.0
//
// Compares arguments and parameters by name. Their order may differ.
#include "check/AnnotationMismatchCheck.h"

#include "check/ValueComparison.h"
#include "check/code/Arguments.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace graphgen::check {
namespace {

using annotation::Field;
using annotation::Parameter;

class Comparison {
 public:
  Comparison(const scan::ScannedCallable& Scanned, ErrorFunction Error, scan::Reporter& Report)
      : Scanned(Scanned), Callable(Scanned.Callable), Error(Error), Report(Report) {}

  void run() {
    for (const Field& Argument : Callable.Spec.Arguments) {
      compare(Argument);
    }
    for (const Parameter& P : Callable.Parameters) {
      if (!annotation::isScalar(P.Type.Kind) && !argumentOf(Callable, P) && !Offered.contains(P.Name)) {
        tellMissing(P);
      }
    }
  }

 private:
  void compare(const Field& Argument) {
    const auto P = llvm::find_if(Callable.Parameters, [&](const Parameter& Candidate) { return Candidate.Name == Argument.Name; });
    if (P == Callable.Parameters.end()) {
      return tellUnknown(Argument);
    }
    ValueComparison(Scanned, Error, Report).compare(Argument.Value, *P);
  }

  void tellUnknown(const Field& Argument) {
    const clang::CharSourceRange Range = Scanned.Text->range(Argument.NameRange);
    const llvm::StringRef Near = nearest(Argument.Name);
    const std::string Question = Near.empty() ? "" : ("; did you mean '" + Near + "'?").str();
    clang::DiagnosticBuilder Builder =
        Error(Range.getBegin(), "'" + Argument.Name + "' is no parameter of '" + Callable.QualifiedName + "'" + Question);
    Builder << Range;
    if (!Near.empty()) {
      Builder << scan::fixIt(Range, Near);
      Offered.insert(Near);
    }
  }

  /// The parameter without an argument whose name is nearest to `Name`.
  llvm::StringRef nearest(llvm::StringRef Name) const {
    std::vector<llvm::StringRef> Free;
    for (const Parameter& P : Callable.Parameters) {
      if (!argumentOf(Callable, P) && !Offered.contains(P.Name)) {
        Free.push_back(P.Name);
      }
    }
    return nearestName(Name, Free);
  }

  void tellMissing(const Parameter& P) {
    const auto Index = static_cast<unsigned>(&P - Callable.Parameters.data());
    const clang::ParmVarDecl& Declared = *Scanned.Declaration->getParamDecl(Index);
    Error(Declared.getLocation(), "parameter '" + P.Name + "' of type '" + P.Type.Spelling + "' is not in the annotation")
        << Declared.getSourceRange();
    const annotation::FixIt Addition = additionOf(Callable, P.Name + ": f32[...]");
    const llvm::StringRef What = annotation::isFlat(P.Type) ? "its dtype and shape" : "what it holds";
    Report.note(Scanned.Text->range(Addition.Range).getBegin(),
                "say " + What + " here, such as '" + P.Name + ": " + exampleOf(P.Type) + "'");
  }

  const scan::ScannedCallable& Scanned;
  const annotation::Callable& Callable;
  ErrorFunction Error;
  scan::Reporter& Report;
  llvm::StringSet<> Offered;  // for a misspelt name
};

}  // namespace

void AnnotationMismatchCheck::check(const scan::ScannedCallable& Scanned, scan::Reporter& Report) const {
  const auto Error = [&](clang::SourceLocation Where, const llvm::Twine& Message) { return error(Report, Where, Message); };
  Comparison(Scanned, Error, Report).run();
}

}  // namespace graphgen::check
