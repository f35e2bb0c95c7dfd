// SPDX-License-Identifier: Apache-2.0
//
// What the annotation says of an argument against the argument's type, member by member.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/StringSet.h"

namespace graphgen::check {

class ValueComparison {
 public:
  /// `Whole` is the argument of `Declared`, which the annotation names.
  ValueComparison(const scan::ScannedCallable& Scanned, const annotation::Bound& Whole, const clang::ParmVarDecl& Declared,
                  scan::Reporter& Report)
      : Text(*Scanned.Text), Whole(Whole), Declared(Declared), Report(Report) {}

  void run() {
    compare(Whole, /*InMap=*/false);
    compareUnseen(Whole, /*IsInList=*/false);
  }

 private:
  using Bound = annotation::Bound;

  void compare(const Bound& B, bool InMap);
  void compareObject(const Bound& B);
  void compareUnseen(const Bound& B, bool IsInList);
  void compareScalar(const Bound& B);
  void compareTensor(const Bound& B, bool InMap);
  void compareHost(const Bound& B, const annotation::FlagUse& Host);
  void compareList(const Bound& B, bool InMap);
  void compareElements(const Bound& List);
  void compareStruct(const Bound& B, bool InMap);
  void compareParts(const Bound& B, bool InMap);
  bool hasMembers(const Bound& B, bool Named, llvm::StringRef Kind);
  std::string nameOf(const Bound& B) const { return (B.Path == Whole.Path ? "parameter '" : "member '") + B.Path + "'"; }
  clang::DiagnosticBuilder error(clang::SourceLocation Where, const llvm::Twine& Message);
  void noteDeclaration();
  void tell(annotation::TextRange Range, const Bound& B, const llvm::Twine& Message);
  void tellCount(const Bound& B);
  void tellMissing(const Bound& B, const Bound& Missing);

  const scan::MacroText& Text;
  const Bound& Whole;
  const clang::ParmVarDecl& Declared;
  scan::Reporter& Report;
};

/// Reports that `Unknown` is none of `Parts`, as "member of 'b'" says; adds the name of the one that it offers to `Offered`.
void tellUnknown(const annotation::Field& Unknown, const std::vector<annotation::Bound>& Parts, const llvm::Twine& Of,
                 const scan::MacroText& Text, llvm::StringSet<>& Offered, scan::Reporter& Report);

/// Offers to take for an object what could be an aggregate as well. Of another parameter nothing is offered.
void offerObject(const clang::ParmVarDecl& Declared, llvm::StringRef Name, clang::SourceLocation Place, scan::Reporter& Report);

/// Offers the words that a scalar or an object could be marked with, each to be added at `Place`, after `Before`.
void offerMarks(const annotation::Bound& Scalar, clang::CharSourceRange Place, llvm::StringRef Before, scan::Reporter& Report);

}  // namespace graphgen::check
