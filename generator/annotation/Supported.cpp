// SPDX-License-Identifier: Apache-2.0
//
// What is supported is listed here by name; whatever is not is reported.
#include "annotation/Supported.h"

#include "annotation/Words.h"

#include "llvm/ADT/Twine.h"

namespace graphgen::annotation {
namespace {

bool isSupported(Flag Value) { return Value != Flag::Host; }

bool isSupported(const Option& Parsed) {
  switch (Parsed.Kind) {
    case OptionKind::Outputs:
    case OptionKind::Pool:
    case OptionKind::Slots:
    case OptionKind::Warmup:
    case OptionKind::Strict:
    case OptionKind::Step:
    case OptionKind::Grads:
    case OptionKind::Allow:
      return true;
    default:
      return false;
  }
}

class SupportChecker {
 public:
  std::vector<Diagnostic> check(const Annotation& Tree);

 private:
  void check(const Spec& Spec);
  void checkFlags(const std::vector<FlagUse>& Flags);
  void check(const Option& Parsed);
  void report(TextRange Range, const llvm::Twine& What) {
    addInOrder(Found, {"graphed-unsupported", Range, (What + " not supported yet").str(), {}});
  }

  std::vector<Diagnostic> Found;
};

std::vector<Diagnostic> SupportChecker::check(const Annotation& Tree) {
  for (const Field& Argument : Tree.Arguments) {
    check(Argument.Value);
  }
  for (const Option& Parsed : Tree.Options) {
    check(Parsed);
  }
  return std::move(Found);
}

void SupportChecker::check(const Spec& Spec) {
  switch (Spec.What) {
    case Spec::Kind::Tensor:
      return checkFlags(Spec.Flags);
    case Spec::Kind::Scalar:
      return;
    case Spec::Kind::Aggregate:
      for (const Field& Member : Spec.Fields) {
        check(Member.Value);
      }
      return;
  }
}

void SupportChecker::checkFlags(const std::vector<FlagUse>& Flags) {
  for (const FlagUse& Use : Flags) {
    if (!isSupported(Use.Value)) {
      report(Use.Range, "the flag '" + spelling(Use.Value) + "' is");
    }
  }
}

void SupportChecker::check(const Option& Parsed) {
  if (!isSupported(Parsed)) {
    report(Parsed.Range, "the option '" + spelling(Parsed.Kind) + "' is");
  }
}

}  // namespace

std::vector<Diagnostic> checkSupported(const Annotation& Tree) { return SupportChecker().check(Tree); }

}  // namespace graphgen::annotation
