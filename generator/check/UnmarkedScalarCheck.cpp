// SPDX-License-Identifier: Apache-2.0
//
// Offers the words that say what the value is.
#include "check/UnmarkedScalarCheck.h"

#include "check/code/Arguments.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

void offer(const scan::ScannedCallable& Scanned, scan::Reporter& Report, const std::string& Argument, llvm::StringRef Meaning) {
  const annotation::FixIt Addition = additionOf(Scanned.Callable, Argument);
  const clang::CharSourceRange Range = Scanned.Text->range(Addition.Range);
  Report.note(Range.getBegin(), "'" + Argument + "' " + Meaning) << scan::fixIt(Range, Addition.Replacement);
}

}  // namespace

void UnmarkedScalarCheck::check(const scan::ScannedCallable& Scanned, scan::Reporter& Report) const {
  for (const auto& [P, Declared] : llvm::zip_equal(Scanned.Callable.Parameters, Scanned.Declaration->parameters())) {
    if (!annotation::isScalar(P.Type.Kind) || argumentOf(Scanned.Callable, P)) {
      continue;
    }
    error(Report, Declared->getLocation(),
          "parameter '" + P.Name + "' of type '" + P.Type.Spelling + "' is not in the annotation: a capture would freeze its value")
        << Declared->getSourceRange();
    if (P.Type.Kind == annotation::TypeKind::LiveScalar) {
      offer(Scanned, Report, P.Name + ": live", "lets the graph read each call's value");
      continue;
    }
    offer(Scanned, Report, P.Name + ": key", "captures one graph for each value");
    offer(Scanned, Report, P.Name + ": const", "keeps the first call's value; another is an error");
    if (isNumber(P.Type.Kind)) {
      Report.note(Declared->getLocation(), "a value that each call changes is a 'const graphed::Scalar &', marked 'live'");
    }
  }
}

}  // namespace graphgen::check
