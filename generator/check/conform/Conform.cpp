// SPDX-License-Identifier: Apache-2.0
//
// Goes over the arguments, of which scan has joined those that fit with their parameters.
#include "check/conform/Conform.h"

#include "check/conform/Examples.h"
#include "check/conform/ValueComparison.h"

#include "annotation/Words.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace graphgen::check {
namespace {

using annotation::Bound;
using annotation::Field;

class Comparison {
 public:
  Comparison(const scan::ScannedCallable& Scanned, scan::Reporter& Report) : Scanned(Scanned), Callable(Scanned.Callable), Report(Report) {}

  void run() {
    for (const Field& Each : Callable.Unknown) {
      tellUnknown(Each);
    }
    for (const auto& [Argument, Declared] : llvm::zip_equal(Callable.Arguments, Scanned.Declaration->parameters())) {
      if (Argument.Said) {
        ValueComparison(Scanned, Argument, *Declared, Report).run();
      } else if (annotation::isScalar(Argument.Kind)) {
        tellUnmarked(Argument, *Declared);
      } else if (!Offered.contains(Argument.Name)) {
        tellMissing(Argument, *Declared);
      }
    }
  }

 private:
  void tellUnknown(const Field& Unknown) {
    const clang::CharSourceRange Range = Scanned.Text->range(Unknown.NameRange);
    const llvm::StringRef Near = nearest(Unknown.Name);
    const std::string Question = Near.empty() ? "" : ("; did you mean '" + Near + "'?").str();
    clang::DiagnosticBuilder Builder = Report.error(
        Range.getBegin(), "graphed-mismatch", "'" + Unknown.Name + "' is no parameter of '" + Callable.QualifiedName + "'" + Question);
    Builder << Range;
    if (!Near.empty()) {
      Builder << scan::fixIt(Range, Near);
      Offered.insert(Near);
    }
  }

  /// The parameter without an argument whose name is nearest to `Name`.
  llvm::StringRef nearest(llvm::StringRef Name) const {
    std::vector<llvm::StringRef> Free;
    for (const Bound& Each : Callable.Arguments) {
      if (!Each.Said && !Offered.contains(Each.Name)) {
        Free.push_back(Each.Name);
      }
    }
    return annotation::nearestName(Free, Name);
  }

  void tellMissing(const Bound& Missing, const clang::ParmVarDecl& Declared) {
    Report.error(Declared.getLocation(), "graphed-mismatch",
                 "parameter '" + Missing.Name + "' of type '" + Missing.Spelling + "' is not in the annotation")
        << Declared.getSourceRange();
    const llvm::StringRef What = annotation::isFlat(Missing) ? "its dtype and shape" : "what it holds";
    Report.note(Scanned.Text->range({Callable.End, Callable.End}).getBegin(),
                "say " + What + " here, such as '" + Missing.Name + ": " + exampleOf(Missing) + "'");
  }

  void tellUnmarked(const Bound& Missing, const clang::ParmVarDecl& Declared) {
    Report.error(
        Declared.getLocation(), "graphed-unmarked-parameter",
        "parameter '" + Missing.Name + "' of type '" + Missing.Spelling + "' is not in the annotation: a capture would freeze its value")
        << Declared.getSourceRange();
    offerMarks(Missing, Scanned.Text->range({Callable.End, Callable.End}), Callable.End == 0 ? "" : ", ", Report);
    if (isNumber(Missing.Kind)) {
      Report.note(Declared.getLocation(), "a value that each call changes is a 'const graphed::Scalar &', marked 'live'");
    }
  }

  const scan::ScannedCallable& Scanned;
  const annotation::Callable& Callable;
  scan::Reporter& Report;
  llvm::StringSet<> Offered;  // for a misspelt name
};

}  // namespace

void checkConformity(const scan::ScannedCallable& Scanned, scan::Reporter& Report) { Comparison(Scanned, Report).run(); }

}  // namespace graphgen::check
