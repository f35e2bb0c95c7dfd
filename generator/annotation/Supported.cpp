// SPDX-License-Identifier: Apache-2.0
//
// What is not supported is listed here by name.
#include "annotation/Supported.h"

#include "annotation/Words.h"

namespace graphgen::annotation {
namespace {

bool isSupported(Flag Value) { return Value != Flag::Host; }
bool isSupported(OptionKind Value) { return Value != OptionKind::Order; }

void report(TextRange Range, const std::string& What, std::vector<Diagnostic>& Found, const std::string& Remedy = "") {
  addInOrder(Found, {"graphed-unsupported", Range, What + " is not supported yet" + Remedy, {}});
}

void check(const Field& Said, std::vector<Diagnostic>& Found) {
  for (const FlagUse& Use : Said.Value.Flags) {
    if (!isSupported(Use.Value)) {
      report(Use.Range, "the flag '" + spelling(Use.Value).str() + "'", Found);
    }
  }
  for (const Field& Member : Said.Value.Fields) {
    check(Member, Found);
  }
}

}  // namespace

std::vector<Diagnostic> checkSupported(const Annotation& Tree) {
  std::vector<Diagnostic> Found;
  for (const Field& Argument : Tree.Arguments) {
    check(Argument, Found);
  }
  for (const Option& Each : Tree.Options) {
    if (!isSupported(Each.Kind)) {
      report(Each.Range, "the option '" + spelling(Each.Kind).str() + "'", Found, "; mark a training with gradients of gradients 'step'");
    }
  }
  return Found;
}

}  // namespace graphgen::annotation
