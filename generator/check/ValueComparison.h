// SPDX-License-Identifier: Apache-2.0
//
// What the annotation says of an argument against the argument's type, member by member.
#pragma once

#include "check/Check.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {

using ErrorFunction = llvm::function_ref<clang::DiagnosticBuilder(clang::SourceLocation, const llvm::Twine&)>;

class ValueComparison {
 public:
  ValueComparison(const scan::ScannedCallable& Scanned, ErrorFunction Error, scan::Reporter& Report)
      : Scanned(Scanned), Error(Error), Report(Report) {}

  void compare(const annotation::Spec& Value, const annotation::Parameter& P);
  /// Says where `P` is declared, after an error.
  void noteDeclaration(const annotation::Parameter& P);

 private:
  /// A parameter, or a part of one.
  struct Subject {
    std::string Path;  // "b.obs"
    const annotation::Type& Type;
    const annotation::Parameter& Of;
    bool InMap;

    bool isMember() const { return Path != Of.Name; }
    std::string text() const { return (isMember() ? "member '" : "parameter '") + Path + "'"; }
  };

  void compare(const annotation::Spec& Value, const Subject& S);
  void compareScalar(const annotation::Spec& Value, const Subject& S);
  void compareTensor(const annotation::Spec& Value, const Subject& S);
  void compareList(const annotation::Spec& Value, const Subject& S);
  void compareLength(const annotation::Spec& Value, const Subject& S);
  void compareStruct(const annotation::Spec& Value, const Subject& S);
  void compareTuple(const annotation::Spec& Value, const Subject& S);
  void compareMap(const annotation::Spec& Value, const Subject& S);
  bool hasMembers(const annotation::Spec& Value, const Subject& S, bool Named, llvm::StringRef Kind);
  void tell(annotation::TextRange Range, const llvm::Twine& Message, const Subject& S);
  void tellCount(const annotation::Spec& Value, const Subject& S);
  void tellReference(const annotation::Spec& Value, const Subject& S);
  /// Gives the name that was offered.
  llvm::StringRef tellUnknown(const annotation::Spec& Value, const annotation::Field& Unknown, const Subject& S);
  void tellMissing(const annotation::Spec& Value, const annotation::Member& Missing, const Subject& S);

  const scan::ScannedCallable& Scanned;
  ErrorFunction Error;
  scan::Reporter& Report;
};

}  // namespace graphgen::check
