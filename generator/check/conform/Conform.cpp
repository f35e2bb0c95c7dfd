// SPDX-License-Identifier: Apache-2.0
//
// Visits the arguments; scan has joined the matching ones with their parameters.
#include "check/conform/Conform.h"

#include "check/conform/Examples.h"
#include "check/conform/ValueComparison.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using annotation::Bound;
using annotation::Field;

class Comparison {
 public:
  Comparison(const scan::ScannedCallable& Scanned, scan::Reporter& Report) : Scanned(Scanned), Callable(Scanned.Callable), Report(Report) {}

  void run() {
    if (tellUnnamed()) {
      return;
    }
    for (const Field& Each : Callable.Unknown) {
      tellUnknown(Each, Callable.Arguments, "parameter of '" + Callable.QualifiedName + "'", *Scanned.Text, Offered, Report);
    }
    for (const auto& [Argument, Declared] : llvm::zip_equal(Callable.Arguments, Scanned.Declaration->parameters())) {
      if (Argument.Said) {
        ValueComparison(Scanned, Argument, *Declared, Report).run();
      } else if (annotation::isScalar(Argument.Kind) || annotation::isObject(Argument.Kind)) {
        tellUnmarked(Argument, *Declared);
      } else if (!Offered.contains(Argument.Name)) {
        tellMissing(Argument, *Declared);
      }
    }
    tellAssigned();
  }

 private:
  /// Results in the memory of the host are the callable's own alone.
  void tellAssigned() {
    const auto Gives = [](const annotation::Setting& Each) { return Each.Kind == annotation::OptionKind::Outputs && Each.Word == "host"; };
    const auto Option = llvm::find_if(Callable.Options, Gives);
    const auto Assigned = llvm::find_if(Callable.Arguments, [](const Bound& Each) { return Each.IsChangeable; });
    if (Option == Callable.Options.end() || Assigned == Callable.Arguments.end()) {
      return;
    }
    const clang::CharSourceRange Range = Scanned.Text->range(Option->Range);
    Report.error(Range.getBegin(), "graphed-mismatch",
                 "'outputs = host' is for a callable that assigns no argument, but it may assign '" + Assigned->Name +
                     "': take it by value, or by reference to const, and return it")
        << Range;
  }

  /// Whether the annotation leaves out parameters that no declaration names: names that it has may be meant for them.
  bool tellUnnamed() {
    bool Told = false;
    for (const auto& [Argument, Declared] : llvm::zip_equal(Callable.Arguments, Scanned.Declaration->parameters())) {
      if (Argument.Said || Declared->getIdentifier() || !llvm::StringRef(Argument.Name).starts_with("_")) {
        continue;
      }
      Report.error(Declared->getLocation(), "graphed-unnamed-parameter",
                   "parameter " + llvm::Twine(Declared->getFunctionScopeIndex() + 1) + " of type '" + Argument.Spelling +
                       "' has no name: give it one, or name it by its position, '" + Argument.Name + ": " + exampleOf(Argument) + "'")
          << Declared->getSourceRange();
      Told = true;
    }
    return Told;
  }

  void tellMissing(const Bound& Missing, const clang::ParmVarDecl& Declared) {
    Report.error(Declared.getLocation(), "graphed-mismatch",
                 "parameter '" + Missing.Name + "' of type '" + Missing.Spelling + "' is not in the annotation")
        << Declared.getSourceRange();
    const llvm::StringRef What = annotation::isFlat(Missing) ? "its dtype and shape" : "what it holds";
    Report.note(Scanned.Text->range({Callable.End, Callable.End}).getBegin(),
                "say " + What + " here, such as '" + Missing.Name + ": " + exampleOf(Missing) + "'");
    if (!annotation::isFlat(Missing)) {
      offerObject(Declared, Missing.Name, Scanned.Text->range({Callable.End, Callable.End}).getBegin(), Report);
    }
  }

  void tellUnmarked(const Bound& Missing, const clang::ParmVarDecl& Declared) {
    const llvm::StringRef Frozen = annotation::isScalar(Missing.Kind) ? "its value" : "which object it is";
    Report.error(
        Declared.getLocation(), "graphed-unmarked-parameter",
        "parameter '" + Missing.Name + "' of type '" + Missing.Spelling + "' is not in the annotation: a capture would freeze " + Frozen)
        << Declared.getSourceRange();
    offerMarks(Missing, Scanned.Text->range({Callable.End, Callable.End}), listBegins() ? "" : ", ", Report);
    if (annotation::couldBeLive(Missing.Kind)) {
      Report.note(Declared.getLocation(),
                  "a value that each call changes is a 'const graphed::Scalar &', marked 'live'; one that the callable does not use is "
                  "marked 'ignore'");
    }
  }

  bool listBegins() const { return Callable.End == 0 && !(Scanned.Text->namesFunction() && Scanned.Text->text().empty()); }

  const scan::ScannedCallable& Scanned;
  const annotation::Callable& Callable;
  scan::Reporter& Report;
  llvm::StringSet<> Offered;  // for a misspelt name
};

}  // namespace

void checkConformity(const scan::ScannedCallable& Scanned, scan::Reporter& Report) { Comparison(Scanned, Report).run(); }

}  // namespace graphgen::check
