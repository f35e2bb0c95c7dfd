// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the text of an annotation.
#include "annotation/Bind.h"
#include "annotation/FlagRules.h"
#include "annotation/Parser.h"
#include "annotation/Printer.h"
#include "annotation/Supported.h"
#include "annotation/Variables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <cstdlib>

namespace annotation = graphgen::annotation;

namespace {

/// libFuzzer keeps the input of a process that ends so.
void require(bool Holds, const char* Property, llvm::StringRef Text) {
  if (!Holds) {
    std::fprintf(stderr, "violated: %s\n%.*s\n", Property, static_cast<int>(Text.size()), Text.data());
    std::abort();
  }
}

void checkRanges(llvm::ArrayRef<annotation::Diagnostic> Told, llvm::StringRef Text) {
  const auto IsWithin = [&](annotation::TextRange Range) { return Range.Begin <= Range.End && Range.End <= Text.size(); };
  for (const annotation::Diagnostic& Each : Told) {
    require(IsWithin(Each.Range), "an error lies within the text", Text);
    require(!Each.Message.empty() && llvm::StringRef(Each.Id).starts_with("graphed-"), "an error has an id and says something", Text);
    for (const annotation::FixIt& Fix : Each.FixIts) {
      require(IsWithin(Fix.Range), "a fix lies within the text", Text);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* Data, size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char*>(Data), Size);
  const annotation::ParseResult Parsed = annotation::parse(Text);
  require(Parsed.Tree.has_value() == Parsed.Errors.empty(), "there is a tree, or there are errors", Text);
  checkRanges(Parsed.Errors, Text);
  if (!Parsed.Tree) {
    return 0;
  }
  const std::string Printed = annotation::print(*Parsed.Tree);
  require(llvm::all_of(Printed, llvm::isPrint), "the canonical text is a line of printable characters", Text);
  if (Printed.size() > annotation::MaxTextLength) {
    return 0;
  }
  const annotation::ParseResult Again = annotation::parse(Printed);
  require(Again.Tree.has_value(), "the canonical text parses", Printed);
  require(annotation::print(*Again.Tree) == Printed, "the canonical text is printed again as it is", Printed);

  annotation::Constants Known;
  for (const annotation::NameUse& Use : annotation::names(*Parsed.Tree)) {
    Known.emplace(Use.Name, static_cast<int64_t>(Use.Name.size()));
  }
  checkRanges(annotation::checkSupported(*Parsed.Tree), Text);
  std::vector<annotation::Diagnostic> Errors;
  const bool IsBound = annotation::bindAnnotation({}, *Parsed.Tree, Known, Errors).has_value();
  require(IsBound == Errors.empty(), "there is a tree of arguments, or there are errors", Text);
  checkRanges(Errors, Text);
  checkRanges(annotation::checkFlags(*Parsed.Tree), Text);
  return 0;
}
