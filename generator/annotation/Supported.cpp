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

}  // namespace

std::vector<Diagnostic> checkSupported(const Annotation& Tree) {
  std::vector<Diagnostic> Found;
  for (const Option& Each : Tree.Options) {
    if (!isSupported(Each.Kind)) {
      report(Each.Range, "the option '" + spelling(Each.Kind).str() + "'", Found, "; mark a training with gradients of gradients 'step'");
    }
  }
  return Found;
}

}  // namespace graphgen::annotation
