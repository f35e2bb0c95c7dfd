// SPDX-License-Identifier: Apache-2.0
//
// What is not supported is listed here by name.
#include "annotation/Supported.h"

#include "annotation/Words.h"

namespace graphgen::annotation {
namespace {

bool isSupported(OptionKind Value) { return Value != OptionKind::Order; }

void report(TextRange Range, const std::string& What, std::vector<Diagnostic>& Found, const std::string& Remedy = "") {
  addInOrder(Found, {"graphed-unsupported", Range, What + " is not supported yet" + Remedy, {}});
}

// Of a list's element, or a member.
void check(const Field& Said, bool IsWhole, std::vector<Diagnostic>& Found) {
  for (const FlagUse& Use : Said.Value.Flags) {
    if (Use.Value == Flag::Host && (!IsWhole || Said.Value.Repeat)) {
      report(Use.Range, "the flag 'host' in a list or an aggregate", Found);
    }
  }
  for (const Field& Member : Said.Value.Fields) {
    check(Member, /*IsWhole=*/false, Found);
  }
}

}  // namespace

std::vector<Diagnostic> checkSupported(const Annotation& Tree) {
  std::vector<Diagnostic> Found;
  for (const Field& Argument : Tree.Arguments) {
    check(Argument, /*IsWhole=*/true, Found);
  }
  for (const Option& Each : Tree.Options) {
    if (!isSupported(Each.Kind)) {
      report(Each.Range, "the option '" + spelling(Each.Kind).str() + "'", Found, "; mark a training with gradients of gradients 'step'");
    }
  }
  return Found;
}

}  // namespace graphgen::annotation
